import {
  bottleneck,
  ceiling,
  cpuCosts,
  driveInTurns,
  eventsPerAnswer,
  type LoadKind,
  type Phase,
  rates,
} from './drive.ts';
import { compareRounds, type Figure, type PartResult } from './figures.ts';
import { type Lineup, members, roundsOf, sidesOf } from './lineup.ts';
import { requestFigures } from './request-figures.ts';
import type { Workbench } from './workbench.ts';

/** Measures in turns how many answers per second each gateway gives, on kept-alive connections. */
export async function measureThroughput(
  bench: Workbench,
  kind: LoadKind,
  lineup: Lineup,
): Promise<PartResult> {
  const turns = { part: kind, kind };
  const limit = await ceiling(bench, turns);
  const gateways = members(lineup);
  const phases = await driveInTurns(bench, turns, gateways);
  return {
    sides: sidesOf(lineup),
    figures: kind === 'events' ? eventFigures(phases) : requestFigures(kind, kind, phases),
    phases: phases.flat(),
    notes: [
      `${kind}: the load side alone, without a gateway, does ${limit.toFixed(0)} requests/s`,
      ...gateways.map((gateway, at) => `${kind}, ${gateway.name}: ${bottleneck(phases[at] ?? [])}`),
    ],
  };
}

function eventFigures(phases: readonly (readonly Phase[])[]): readonly Figure[] {
  const rate = (some: readonly Phase[]) => rates(some).map((value) => value * eventsPerAnswer);
  const cpu = (some: readonly Phase[]) => cpuCosts(some).map((value) => value / eventsPerAnswer);
  return [
    {
      key: 'events.events_per_second',
      label: 'provider events carried in long streams',
      unit: 'events/s',
      better: 'higher',
      ...compareRounds(roundsOf(phases, rate)),
    },
    {
      key: 'events.cpu_microseconds_per_event',
      label: 'gateway CPU per event',
      unit: 'µs',
      better: 'lower',
      ...compareRounds(roundsOf(phases, cpu)),
    },
  ];
}
