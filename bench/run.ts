import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkAnswers } from './client-request.ts';
import type { PartResult } from './figures.ts';
import { bareProxy, type RunningGateway } from './gateways.ts';
import { describeMachine } from './machine.ts';
import { measureLatency } from './measure-latency.ts';
import { measureMemory } from './measure-memory.ts';
import { measureThroughput, type ThroughputPart } from './measure-throughput.ts';
import { help, type Options, readOptions } from './options.ts';
import { stopAll } from './processes.ts';
import { summarizeProfiles } from './profile-summary.ts';
import { type Report, reportAsJson, reportAsText } from './report.ts';
import { prepareAnswer } from './scripted-answers.ts';
import { progress, Workbench } from './workbench.ts';

const yardstick = bareProxy('bare proxy');

/** Every part but memory, on one pair of processes; memory wants processes of its own. */
async function measure(options: Options, bench: Workbench): Promise<PartResult[]> {
  const results: PartResult[] = [];
  const timed = options.parts.filter((part) => part !== 'memory');
  if (timed.length > 0) {
    const pair: Pair = [await bench.start(yardstick), await bench.start(options.subject)];
    for (const gateway of pair) await checkAnswers(gateway, prepareAnswer('short').text);
    const maximum = new Map<RunningGateway, number>();
    for (const part of timed) {
      const result = await attempt(bench, () =>
        part === 'latency'
          ? measureLatencyOf(bench, pair, maximum)
          : measureThroughputOf(bench, part, pair, maximum),
      );
      if (result !== undefined) results.push(result);
    }
    for (const gateway of pair) await gateway.stop();
  }
  if (options.parts.includes('memory')) {
    const memory = await attempt(bench, () => measureMemory(bench, yardstick, options.subject));
    if (memory !== undefined) results.push(memory);
  }
  return results;
}

/** A part that breaks off is a problem of the run, not the end of it. */
async function attempt(
  bench: Workbench,
  measurePart: () => Promise<PartResult>,
): Promise<PartResult | undefined> {
  try {
    return await measurePart();
  } catch (error) {
    bench.problems.push(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

type Pair = readonly [RunningGateway, RunningGateway];

/** Remembers each gateway's own unstreamed maximum, for half load. */
async function measureThroughputOf(
  bench: Workbench,
  part: ThroughputPart,
  pair: Pair,
  maximum: Map<RunningGateway, number>,
): Promise<PartResult> {
  const result = await measureThroughput(bench, part, ...pair);
  const [rate] = result.figures;
  if (part === 'unstreamed' && rate !== undefined) {
    maximum.set(pair[0], rate.yardstick).set(pair[1], rate.subject);
  }
  return result;
}

async function measureLatencyOf(
  bench: Workbench,
  pair: Pair,
  maximum: Map<RunningGateway, number>,
): Promise<PartResult> {
  if (maximum.size === 0) await measureThroughputOf(bench, 'unstreamed', pair, maximum);
  return measureLatency(bench, ...pair, (gateway) => maximum.get(gateway) ?? Number.NaN);
}

async function run(options: Options): Promise<Report> {
  const startedAt = new Date();
  const directory = mkdtempSync(join(tmpdir(), 'headgate-bench-'));
  const { profileDirectory, effort } = options;
  if (profileDirectory !== undefined) mkdirSync(profileDirectory, { recursive: true });
  const nodeOptions =
    profileDirectory === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDirectory}`];
  const bench = await Workbench.open(effort, options.upstreamPort, directory, nodeOptions);
  try {
    const parts = await measure(options, bench);
    return {
      yardstick: yardstick.name,
      subject: options.subject.name,
      machine: describeMachine(directory),
      settings: { ...effort, parts: options.parts },
      startedAt: startedAt.toISOString(),
      seconds: (Date.now() - startedAt.getTime()) / 1000,
      parts,
      problems: bench.problems,
    };
  } finally {
    await stopAll();
    rmSync(directory, { recursive: true, force: true });
  }
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) {
    process.stdout.write(help);
  } else {
    const report = await run(options);
    process.stdout.write(options.json ? `${reportAsJson(report)}\n` : reportAsText(report));
    if (options.profileDirectory !== undefined) progress(summarizeProfiles(options.profileDirectory));
    process.exitCode = report.problems.length > 0 ? 1 : 0;
  }
} catch (error) {
  progress(`FAILED: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
