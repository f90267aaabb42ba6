import { messageOf } from '../src/util/message-of.ts';
import { checkAnswers } from './client-request.ts';
import { startEngines } from './engines.ts';
import type { PartResult } from './figures.ts';
import type { Gateway, RunningGateway } from './gateways.ts';
import { type Lineup, members } from './lineup.ts';
import { measureDialects } from './measure-dialects.ts';
import { measureEngines } from './measure-engines.ts';
import { measureFloors } from './measure-floors.ts';
import { measureLatency } from './measure-latency.ts';
import { measureMemory } from './measure-memory.ts';
import { measurePaced } from './measure-paced.ts';
import { measureProcesses } from './measure-processes.ts';
import { measureScale } from './measure-scale.ts';
import { measureStages } from './measure-stages.ts';
import { measureThroughput } from './measure-throughput.ts';
import { measureViewers } from './measure-viewers.ts';
import type { Options, PartName } from './options.ts';
import { prepareAnswer } from './scripted-answers.ts';
import { progress, type Workbench } from './workbench.ts';

/** Parts that load the same gateways, started once. */
const timedParts = ['unstreamed', 'streamed', 'events', 'paced', 'latency'] as const;

/**
 * Measures the requested parts, one after another. A part that fails is a problem of the run, not its end.
 */
export async function measureParts(
  options: Options,
  bench: Workbench,
  third: Gateway | undefined,
): Promise<readonly PartResult[]> {
  const results: PartResult[] = [];
  const attempt = async (part: PartName, measure: () => Promise<PartResult>): Promise<void> => {
    if (!options.parts.includes(part)) return;
    const began = performance.now();
    try {
      results.push(await measure());
      progress(`${part}: took ${((performance.now() - began) / 1000).toFixed(0)} s`);
    } catch (error) {
      bench.problems.push(`${part}: ${messageOf(error)}`);
    }
  };
  if (timedParts.some((part) => options.parts.includes(part))) {
    const lineup = await startLineup(bench, options, third);
    const maxima = new Map<RunningGateway, number>();
    for (const part of timedParts) await attempt(part, () => measureTimed(bench, part, lineup, maxima));
    for (const gateway of members(lineup)) await gateway.stop();
  }
  await attempt('memory', () => measureMemory(bench, options.yardstick, options.subject));
  await attempt('dialects', () => measureDialects(bench));
  await attempt('scale', () => measureScale(bench));
  const engines = once(() => startEngines(bench));
  await attempt('engines', async () => measureEngines(bench, await engines()));
  await attempt('processes', async () => measureProcesses(bench, await engines()));
  await attempt('floors', async () => measureFloors(bench, await engines()));
  await attempt('stages', () => measureStages(bench));
  await attempt('viewers', () => measureViewers(bench));
  return results;
}

/** Starts something on first use, and never again. */
function once<Started>(start: () => Promise<Started>): () => Promise<Started> {
  let started: Promise<Started> | undefined;
  return () => {
    started ??= start();
    return started;
  };
}

async function startLineup(
  bench: Workbench,
  { yardstick, subject }: Options,
  third: Gateway | undefined,
): Promise<Lineup> {
  const lineup: Lineup = {
    yardstick: await bench.start(yardstick),
    subject: await bench.start(subject),
    third: third && (await bench.start(third)),
  };
  for (const gateway of members(lineup)) await checkAnswers(gateway, prepareAnswer('short').text);
  return lineup;
}

/** Remembers each gateway's own unstreamed maximum, for half load. */
async function measureTimed(
  bench: Workbench,
  part: (typeof timedParts)[number],
  lineup: Lineup,
  maxima: Map<RunningGateway, number>,
): Promise<PartResult> {
  if (part === 'latency') {
    if (maxima.size === 0) await measureTimed(bench, 'unstreamed', lineup, maxima);
    const maximum = (gateway: RunningGateway) => maxima.get(gateway) ?? Number.NaN;
    return measureLatency(bench, lineup, {
      settings: ['alone', 'alone_streamed', 'half_load'],
      key: 'latency',
      maximum,
    });
  }
  if (part === 'paced') return measurePaced(bench, without(lineup));
  // The other gateway waits 25 ms before the first event of a stream: long streams would add nothing.
  const result = await measureThroughput(bench, part, part === 'events' ? without(lineup) : lineup);
  const [rate] = result.figures;
  if (part === 'unstreamed' && rate !== undefined) {
    maxima.set(lineup.yardstick, rate.yardstick).set(lineup.subject, rate.subject);
    if (lineup.third !== undefined) maxima.set(lineup.third, rate.third?.value ?? Number.NaN);
  }
  return result;
}

function without({ yardstick: first, subject }: Lineup): Lineup {
  return { yardstick: first, subject };
}
