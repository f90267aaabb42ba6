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
import type { Workbench } from './workbench.ts';

/** Measures how many answers a second each gateway gives, in turns, on kept-alive connections. */
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
    figures: figures(kind, phases),
    phases: phases.flat(),
    notes: [
      `${kind}: the load side alone, without a gateway, does ${limit.toFixed(0)} requests/s`,
      ...gateways.map((gateway, at) => `${kind}, ${gateway.name}: ${bottleneck(phases[at] ?? [])}`),
    ],
  };
}

function figures(kind: LoadKind, phases: readonly (readonly Phase[])[]): readonly Figure[] {
  const perAnswer = kind === 'events' ? eventsPerAnswer : 1;
  const [noun, nouns] = kind === 'events' ? ['event', 'events'] : ['request', 'requests'];
  const rate = (some: readonly Phase[]) => rates(some).map((value) => value * perAnswer);
  const cpu = (some: readonly Phase[]) => cpuCosts(some).map((value) => value / perAnswer);
  return [
    {
      key: `${kind}.${nouns}_per_second`,
      label: kind === 'events' ? 'provider events carried in long streams' : `requests, ${kind}`,
      unit: `${nouns}/s`,
      better: 'higher',
      ...compareRounds(roundsOf(phases, rate)),
    },
    {
      key: `${kind}.cpu_microseconds_per_${noun}`,
      label: `gateway CPU per ${noun}${kind === 'events' ? '' : `, ${kind}`}`,
      unit: 'µs',
      better: 'lower',
      ...compareRounds(roundsOf(phases, cpu)),
    },
  ];
}
