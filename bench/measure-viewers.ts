import { once } from 'node:events';
import { join } from 'node:path';
import { bottleneck, driveInTurns, rates } from './drive.ts';
import type { PartResult } from './figures.ts';
import { bootstrapManagementKey, headgateWith } from './headgate.ts';
import { members, sidesOf } from './lineup.ts';
import { measureLatency } from './measure-latency.ts';
import { ask, loadCore, startNode } from './processes.ts';
import { requestFigures } from './request-figures.ts';
import { median } from './statistics.ts';
import type { ViewersReport } from './viewers.ts';
import type { Workbench } from './workbench.ts';

const viewers = 20;

/**
 * Measures what looking costs the traffic: nobody looks; 20 people have the dashboard open and one of them exports; and
 * there is no dashboard at all. For half load all get the same rate, half of what the slowest can do.
 */
export async function measureViewers(bench: Workbench): Promise<PartResult> {
  const lineup = {
    yardstick: await bench.start(headgateWith({ name: 'nobody looks' })),
    subject: await bench.start(headgateWith({ name: `${viewers} viewers` })),
    third: await bench.start(headgateWith({ name: 'no dashboard', hasDashboard: false })),
  };
  const watching = startNode({
    name: 'viewers',
    cores: loadCore,
    args: [join(import.meta.dirname, 'viewers.ts')],
    env: {
      HEADGATE_URL: lineup.subject.url.origin,
      MANAGEMENT_KEY: bootstrapManagementKey,
      VIEWERS: String(viewers),
    },
  });
  await once(watching.child, 'message');
  const gateways = members(lineup);
  const driven = await driveInTurns(bench, { part: 'viewers', kind: 'unstreamed' }, gateways);
  const slowest = Math.min(...driven.map((phases) => median(rates(phases))));
  const latency = await measureLatency(bench, lineup, {
    settings: ['half_load'],
    key: 'viewers',
    maximum: () => slowest,
  });
  const seen = await ask<object, ViewersReport>(watching, {});
  await watching.stop();
  for (const gateway of gateways) await gateway.stop();
  if (seen.refusals.length > 0) bench.problems.push(`viewers: ${seen.refusals.join(', ')}`);
  return {
    sides: sidesOf(lineup),
    figures: [...requestFigures('viewers', 'unstreamed', driven), ...latency.figures],
    phases: [...driven.flat(), ...latency.phases],
    notes: [
      `viewers: ${seen.liveEvents} live events, ${seen.answers} answers of pages, ${seen.exportedRows} rows exported`,
      ...gateways.map(({ name }, at) => `viewers, ${name}: ${bottleneck(driven[at] ?? [])}`),
      ...latency.notes,
    ],
  };
}
