import { setTimeout as sleep } from 'node:timers/promises';
import { clientShot } from './client-request.ts';
import { compareRounds, type PartResult } from './figures.ts';
import type { Gateway } from './gateways.ts';
import { openFileLimit, residentBytes } from './process-meter.ts';
import { median } from './statistics.ts';
import { progress, type Workbench } from './workbench.ts';

interface Phase {
  readonly part: 'memory';
  readonly gateway: string;
  readonly openStreams: number;
  readonly openingSeconds: number;
  /** Three seconds after the start, before any request. */
  readonly residentAtStart: number;
  readonly residentBefore: number;
  readonly residentOpen: number;
  readonly bytesPerStream: number;
}

/** Before the baseline is measured, a fresh process answers a few calls, but does not fill its heap. */
const warmUpSeconds = 0.5;
const warmUpConnections = 4;

/** After which the start is over. */
const idleSeconds = 3;

/** Files and sockets of a gateway besides two for each stream. */
const otherFiles = 200;

/**
 * Opens many streams at each gateway, started for this measurement, then measures its memory while the upstream sends
 * words slowly into all of them. Where the limit of open files does not allow all streams, fewer are opened and the
 * rest is extrapolated.
 */
export async function measureMemory(
  bench: Workbench,
  yardstick: Gateway,
  subject: Gateway,
): Promise<PartResult> {
  const asked = bench.effort.openStreams;
  const count = Math.min(asked, Math.floor((openFileLimit() - otherFiles) / 2));
  const [before, after] = [await fill(bench, yardstick, count), await fill(bench, subject, count)];
  const resident = ({ residentBefore, bytesPerStream }: Phase) =>
    (residentBefore + bytesPerStream * asked) / 1e6;
  return {
    sides: { yardstick: yardstick.name, subject: subject.name },
    figures: [
      {
        key: 'memory.start_megabytes',
        label: 'resident memory at the start',
        unit: 'MB',
        better: 'lower',
        ...compareRounds({
          yardstick: [before.residentAtStart / 1e6],
          subject: [after.residentAtStart / 1e6],
        }),
      },
      {
        key: 'memory.bytes_per_open_stream',
        label: `memory for each of ${asked} open streams`,
        unit: 'kB',
        better: 'lower',
        ...compareRounds({
          yardstick: [before.bytesPerStream / 1000],
          subject: [after.bytesPerStream / 1000],
        }),
      },
      {
        key: 'memory.resident_megabytes',
        label: `resident memory with ${asked} open streams`,
        unit: 'MB',
        better: 'lower',
        ...compareRounds({ yardstick: [resident(before)], subject: [resident(after)] }),
      },
    ],
    phases: [before, after],
    notes: [
      ...(count < asked
        ? [`memory: ${count} streams were opened, more files may not be open here; ${asked} is reckoned`]
        : []),
      ...[before, after].map(
        (phase) =>
          `memory, ${phase.gateway}: ${megabytes(phase.residentBefore)} before, ${megabytes(phase.residentOpen)} with ${phase.openStreams} streams open, opened in ${phase.openingSeconds.toFixed(1)} s`,
      ),
    ],
  };
}

async function fill(bench: Workbench, gateway: Gateway, count: number): Promise<Phase> {
  const running = await bench.start(gateway);
  const { pid } = running;
  if (pid === undefined) {
    throw new Error('memory needs the process id of the gateway: give --target-pid, or another --only');
  }
  const shot = clientShot(running, true);
  await sleep(idleSeconds * 1000);
  const residentAtStart = residentBytes(pid);
  await bench.follow('short');
  await bench.load(running, 'memory warm-up', {
    kind: 'closed',
    shot,
    connections: warmUpConnections,
    seconds: warmUpSeconds,
    keepTimes: false,
  });
  await bench.follow('held');
  await sleep(1000);
  const residentBefore = residentBytes(pid);
  const opened = await bench.load(running, 'memory', { kind: 'open', shot, count });
  await bench.trickle();
  const residentOpen = await settledResidentBytes(pid);
  const drained = bench.load(running, 'memory drain', { kind: 'drain' });
  await bench.finishHeld();
  await drained;
  await running.stop();
  progress(`memory: ${gateway.name} measured`);
  return {
    part: 'memory',
    gateway: gateway.name,
    openStreams: opened.answers,
    openingSeconds: opened.seconds,
    residentAtStart,
    residentBefore,
    residentOpen,
    bytesPerStream: (residentOpen - residentBefore) / opened.answers,
  };
}

/** Samples several times during the fourth second after words began to arrive. */
async function settledResidentBytes(pid: number): Promise<number> {
  await sleep(3000);
  const looks: number[] = [];
  for (let look = 0; look < 5; look += 1) {
    looks.push(residentBytes(pid));
    await sleep(200);
  }
  return median(looks);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
