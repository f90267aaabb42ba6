import { readdir } from 'node:fs/promises';

/** Figures of the operating system and the engine about this process. Bytes and seconds. */
export interface ProcessFigures {
  readonly residentMemory: number;
  readonly heapUsed: number;
  readonly externalMemory: number;
  readonly cpu: number;
  /** Unix time. */
  readonly startedAt: number;
  readonly eventLoopActive: number;
  /** Undefined where the system does not report it. */
  readonly openFiles: number | undefined;
}

/** Reads the current figures. */
export async function readProcessFigures(): Promise<ProcessFigures> {
  const { rss, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return {
    residentMemory: rss,
    heapUsed,
    externalMemory: external,
    cpu: (user + system) / 1e6,
    startedAt: performance.timeOrigin / 1000,
    eventLoopActive: performance.eventLoopUtilization().active / 1000,
    openFiles: await countOpenFiles(),
  };
}

async function countOpenFiles(): Promise<number | undefined> {
  try {
    return (await readdir('/proc/self/fd')).length;
  } catch {
    return undefined;
  }
}
