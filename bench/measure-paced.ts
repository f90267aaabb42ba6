import { setTimeout as sleep } from 'node:timers/promises';
import { clientShot } from './client-request.ts';
import { warmUpFor } from './drive.ts';
import { compareRounds, type Figure, type PartResult } from './figures.ts';
import type { RunningGateway } from './gateways.ts';
import { type Lineup, members, roundsOf, sidesOf } from './lineup.ts';
import { percentile } from './statistics.ts';
import { progress, type Workbench } from './workbench.ts';

interface Phase {
  readonly part: 'paced';
  readonly gateway: string;
  readonly round: number;
  readonly words: number;
  /** CPU time of the gateway in microseconds for each word. */
  readonly cpuMicrosecondsPerWord: number;
  /** Milliseconds from the provider's write to the client's read. */
  readonly p50: number;
  readonly p99: number;
}

const streams = 200;
/** Seconds in which words are counted, and in which the streams come to their pace before. */
const [measured, settling] = [4, 0.5];

/**
 * Holds 200 streams open at each gateway by turns, into each of which the upstream sends a word every 20 ms, as models do:
 * what a word costs that comes alone, and how long it takes.
 */
export async function measurePaced(bench: Workbench, lineup: Lineup): Promise<PartResult> {
  const gateways = members(lineup);
  const phases: Phase[][] = gateways.map(() => []);
  for (const gateway of gateways) {
    await warmUpFor(bench, 'streamed', gateway);
    // Words that come alone take other ways than those that come together.
    await pace(bench, gateway, 0);
  }
  for (let round = 1; round <= bench.effort.rounds; round += 1) {
    for (const [at, gateway] of gateways.entries()) phases[at]?.push(await pace(bench, gateway, round));
  }
  return { sides: sidesOf(lineup), figures: figuresOf(phases), phases: phases.flat(), notes: [] };
}

async function pace(bench: Workbench, gateway: RunningGateway, round: number): Promise<Phase> {
  const what = `paced round ${round}`;
  await bench.follow('held');
  await bench.load(gateway, what, { kind: 'open', shot: clientShot(gateway, true), count: streams });
  await bench.pace();
  await sleep(settling * 1000);
  const { cpu, wordTimes } = await bench.load(gateway, what, { kind: 'watch', seconds: measured });
  const drained = bench.load(gateway, what, { kind: 'drain' });
  await bench.finishHeld();
  await drained;
  const phase: Phase = {
    part: 'paced',
    gateway: gateway.name,
    round,
    words: wordTimes.length,
    cpuMicrosecondsPerWord: ((cpu.gatewaySeconds ?? Number.NaN) * 1e6) / wordTimes.length,
    p50: percentile(wordTimes, 0.5),
    p99: percentile(wordTimes, 0.99),
  };
  progress(
    `${what}, ${gateway.name}: ${phase.words} words, ${phase.cpuMicrosecondsPerWord.toFixed(1)} µs of CPU each, ` +
      `p50 ${phase.p50.toFixed(2)} ms, p99 ${phase.p99.toFixed(2)} ms`,
  );
  return phase;
}

function figuresOf(phases: readonly (readonly Phase[])[]): readonly Figure[] {
  const figure = (key: string, label: string, unit: string, value: (phase: Phase) => number): Figure => ({
    key: `paced.${key}`,
    label,
    unit,
    better: 'lower',
    ...compareRounds(roundsOf(phases, (some) => some.map(value))),
  });
  return [
    figure(
      'cpu_microseconds_per_event',
      'gateway CPU per event that comes alone',
      'µs',
      (phase) => phase.cpuMicrosecondsPerWord,
    ),
    figure('p50', 'from the provider’s write to the client’s read, p50', 'ms', ({ p50 }) => p50),
    figure('p99', 'from the provider’s write to the client’s read, p99', 'ms', ({ p99 }) => p99),
  ];
}
