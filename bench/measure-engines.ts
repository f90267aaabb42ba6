import { bottleneck, driveInTurns, rates } from './drive.ts';
import type { Engines } from './engines.ts';
import type { PartResult } from './figures.ts';
import { headgateWith } from './headgate.ts';
import { members, sidesOf } from './lineup.ts';
import { measureLatency } from './measure-latency.ts';
import { requestFigures } from './request-figures.ts';
import { median } from './statistics.ts';
import type { Workbench } from './workbench.ts';

/**
 * Compares Headgate on SQLite with Headgate on PostgreSQL and Redis. The account is prepaid, so that every request
 * takes and releases a hold; otherwise Redis would have almost nothing to do. For half load both get the same rate,
 * half of what the slower one can do.
 */
export async function measureEngines(bench: Workbench, engines: Engines): Promise<PartResult> {
  const lineup = {
    yardstick: await bench.start(headgateWith({ name: 'SQLite', isPrepaid: true })),
    subject: await engines.oneProcess(),
  };
  const gateways = members(lineup);
  const driven = await driveInTurns(bench, { part: 'engines', kind: 'unstreamed', share: 0.5 }, gateways);
  const slower = Math.min(...driven.map((phases) => median(rates(phases))));
  const latency = await measureLatency(bench, lineup, {
    settings: ['alone', 'half_load'],
    key: 'engines',
    hasServers: true,
    maximum: () => slower,
  });
  await lineup.yardstick.stop();
  return {
    sides: sidesOf(lineup),
    figures: [...requestFigures('engines', 'unstreamed', driven), ...latency.figures],
    phases: [...driven.flat(), ...latency.phases],
    notes: [
      'engines: a prepaid account; PostgreSQL and Redis share the core of the load',
      ...gateways.map(
        (gateway, at) => `engines, ${gateway.name}: ${bottleneck(driven[at] ?? [], { hasServers: at > 0 })}`,
      ),
      ...latency.notes,
    ],
  };
}
