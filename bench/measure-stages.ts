import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { clientShot } from './client-request.ts';
import { warmUpFor } from './drive.ts';
import type { PartResult } from './figures.ts';
import type { RunningGateway } from './gateways.ts';
import { headgateWith } from './headgate.ts';
import { type StageTimes, stages } from './stage-clock.ts';
import { percentile } from './statistics.ts';
import type { Workbench } from './workbench.ts';

/** Shares of the highest rate at which stages are measured. */
const loads = [0.1, 0.5, 0.8];

/** How long one load lasts, as a multiple of a throughput phase. */
const secondsShare = 2;

/**
 * Measures where the time of unstreamed requests goes at 10, 50 and 80 % of the highest rate: how long they wait at each
 * of the places where they can wait.
 */
export async function measureStages(bench: Workbench): Promise<PartResult> {
  const file = join(bench.directory, 'stages.json');
  const gateway = await bench.start(headgateWith({ name: 'headgate', stagesFile: file }));
  await warmUpFor(bench, 'unstreamed', gateway);
  const maximum = await highestRate(bench, gateway);
  const phases: object[] = [];
  const notes: string[] = [];
  for (const load of loads) {
    await collect(gateway, file);
    const perSecond = maximum * load;
    const seconds = bench.effort.seconds * secondsShare;
    const shot = clientShot(gateway, false);
    const { wholeTimes, cpu } = await bench.load(gateway, `stages ${load}`, {
      kind: 'paced',
      shot,
      arrivals: { perSecond, seconds, seed: 1 },
    });
    const times = await collect(gateway, file);
    const whole = [0.5, 0.9, 0.99].map((share) => percentile(wholeTimes, share));
    phases.push({ part: 'stages', load, perSecond, whole, times });
    const others = ((cpu.otherSeconds / cpu.wallSeconds) * 100).toFixed(0);
    notes.push(
      '',
      `at ${load * 100} % of ${maximum.toFixed(0)} requests/s, milliseconds p50 / p90 / p99 (other processes used ${others} % of a core)`,
      row('the whole request', whole),
      ...times.map((one) => row(`${stages[one.stage]}, ${one.count} times`, [one.p50, one.p90, one.p99])),
    );
  }
  await gateway.stop();
  return { sides: { yardstick: gateway.name, subject: gateway.name }, figures: [], phases, notes };
}

async function highestRate(bench: Workbench, gateway: RunningGateway): Promise<number> {
  const shot = clientShot(gateway, false);
  const { connections, seconds } = bench.effort;
  const result = await bench.load(gateway, 'stages, highest rate', {
    keepTimes: false,
    kind: 'closed',
    shot,
    connections,
    seconds,
  });
  return result.answers / result.cpu.wallSeconds;
}

/** What was measured since this was last asked. */
async function collect(gateway: RunningGateway, file: string): Promise<readonly StageTimes[]> {
  rmSync(file, { force: true });
  process.kill(gateway.pid ?? 0, 'SIGUSR2');
  while (!existsSync(file)) await sleep(5);
  return JSON.parse(readFileSync(file, 'utf8')) as readonly StageTimes[];
}

function row(name: string, times: readonly number[]): string {
  return `  ${name.padEnd(80)} ${times.map((time) => time.toFixed(2).padStart(7)).join(' ')}`;
}
