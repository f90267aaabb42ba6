import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lockOwner } from '../journal/owner-lock.ts';

/** Milliseconds between two tries. */
const patience = 20;

/**
 * Runs work while no other process runs any on the same database file. An empty file stays beside it, for one that is
 * deleted could be locked by two.
 */
export async function aloneOnFile<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    const lock = lockOwner(dirname(file), basename(file));
    if (lock === undefined) {
      await sleep(patience);
      continue;
    }
    try {
      return await work();
    } finally {
      lock.release();
    }
  }
}
