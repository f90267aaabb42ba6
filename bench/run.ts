import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../src/util/message-of.ts';
import type { Gateway } from './gateways.ts';
import { describeMachine } from './machine.ts';
import { measureParts } from './measure-parts.ts';
import { help, type Options, readOptions } from './options.ts';
import { installPortkey } from './portkey.ts';
import { beforeExit, leaveGatewayCore, stopAll } from './processes.ts';
import { summarizeProfiles } from './profile-summary.ts';
import { profiledParts } from './profiled-parts.ts';
import { type Report, reportAsJson, reportAsText } from './report.ts';
import { progress, Workbench } from './workbench.ts';

async function run(options: Options, directory: string): Promise<Report> {
  const startedAt = new Date();
  const { profileDirectory, effort } = options;
  if (profileDirectory !== undefined) mkdirSync(profileDirectory, { recursive: true });
  const nodeOptions =
    profileDirectory === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDirectory}`];
  leaveGatewayCore();
  const { third, absence } = await otherGateway(options, directory);
  const bench = await Workbench.open(effort, options.upstreamPort, directory, nodeOptions);
  const parts = await measureParts(options, bench, third);
  const machine = describeMachine(directory);
  await stopAll();
  if (profileDirectory !== undefined) {
    progress(summarizeProfiles(profiledParts(profileDirectory, bench.windows)));
  }
  return {
    yardstick: options.yardstick.name,
    subject: options.subject.name,
    isJudged: options.isHeadgate,
    machine,
    settings: { ...effort, parts: options.parts, portkey: third !== undefined },
    startedAt: startedAt.toISOString(),
    seconds: (Date.now() - startedAt.getTime()) / 1000,
    parts,
    notes: absence,
    problems: bench.problems,
  };
}

/** The other gateway, or why its column is absent. */
async function otherGateway(
  { portkey }: Options,
  directory: string,
): Promise<{ readonly third?: Gateway; readonly absence: readonly string[] }> {
  if (!portkey) return { absence: [] };
  progress('installing the gateway of Portkey into a temporary directory');
  try {
    return { third: await installPortkey(directory), absence: [] };
  } catch (error) {
    return { absence: [`portkey: absent, ${messageOf(error)}`] };
  }
}

async function main(args: readonly string[]): Promise<void> {
  const options = readOptions(args);
  if (options === undefined) {
    process.stdout.write(help);
    return;
  }
  const directory = mkdtempSync(join(tmpdir(), 'headgate-bench-'));
  beforeExit(async () => rmSync(directory, { recursive: true, force: true }));
  try {
    const report = await run(options, directory);
    process.stdout.write(options.json ? `${reportAsJson(report)}\n` : reportAsText(report));
    process.exitCode = report.problems.length > 0 ? 1 : 0;
  } finally {
    await stopAll();
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  progress(`FAILED: ${messageOf(error)}`);
  process.exitCode = 1;
}
