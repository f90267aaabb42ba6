import { setTimeout as sleep } from 'node:timers/promises';
import { lockFile } from './lock-file.ts';

/** Milliseconds between two tries. */
const patience = 20;

/**
 * Runs work while no other process runs any on the same database file. An empty file stays beside it, because one that is
 * deleted could be locked by two processes.
 */
export async function aloneOnFile<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    const release = lockFile(`${file}.lock`);
    if (release === undefined) {
      await sleep(patience);
      continue;
    }
    try {
      return await work();
    } finally {
      release();
    }
  }
}
