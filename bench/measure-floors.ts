import { join } from 'node:path';
import { bottleneck, driveInTurns, rates } from './drive.ts';
import type { Engines } from './engines.ts';
import type { PartResult } from './figures.ts';
import { bareProxy } from './gateways.ts';
import { members, sidesOf } from './lineup.ts';
import { measureLatency } from './measure-latency.ts';
import { requestFigures } from './request-figures.ts';
import { median } from './statistics.ts';
import type { Workbench } from './workbench.ts';

/**
 * Measures the cost of Headgate's promises alone on this machine: the bare proxy beside one whose answers wait for
 * the disk and one whose requests use Redis and whose answers wait for a commit of PostgreSQL. No gateway with these
 * promises can add less.
 */
export async function measureFloors(bench: Workbench, engines: Engines): Promise<PartResult> {
  const { databaseUrl = '', redisUrl = '' } = engines.urls;
  const servers = { KEEP_DATABASE_URL: databaseUrl, KEEP_REDIS_URL: redisUrl };
  const lineup = {
    yardstick: await bench.start(bareProxy('bare proxy, no promise')),
    subject: await bench.start(
      bareProxy('bare, on disk', { promises: { KEEP_FILE: join(bench.directory, 'kept') } }),
    ),
    third: await bench.start(bareProxy('bare, on servers', { promises: servers })),
  };
  const gateways = members(lineup);
  const driven = await driveInTurns(bench, { part: 'floors', kind: 'unstreamed', share: 0.5 }, gateways);
  const maxima = new Map(gateways.map((gateway, at) => [gateway, median(rates(driven[at] ?? []))]));
  const latency = await measureLatency(bench, lineup, {
    settings: ['alone', 'half_load'],
    key: 'floors',
    hasServers: true,
    maximum: (gateway) => maxima.get(gateway) ?? Number.NaN,
  });
  for (const gateway of gateways) await gateway.stop();
  return {
    sides: sidesOf(lineup),
    figures: [...requestFigures('floors', 'unstreamed', driven), ...latency.figures],
    phases: [...driven.flat(), ...latency.phases],
    notes: [
      ...gateways.map(
        (gateway, at) => `floors, ${gateway.name}: ${bottleneck(driven[at] ?? [], { hasServers: at > 1 })}`,
      ),
      ...latency.notes,
    ],
  };
}
