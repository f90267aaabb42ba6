import { tooMany } from '../../core/too-many.ts';
import type { Caller } from '../../settlement/caller.ts';

/** Files that one process makes at the same time. */
export const mostExports = 4;
/** Milliseconds after which a refused one may be asked for again. */
const busyRetry = 10_000;

/** Files that are being made: one for each key, and a few in all, because each reads as fast as its client. */
export class RunningExports {
  readonly #keys = new Set<string>();

  /**
   * Counts a file of a key.
   * @param now Unix milliseconds.
   * @returns To be called once it is made, or given up.
   * @throws HeadgateError `platform_rate_limit` for a file too many.
   */
  begin({ key: { hash } }: Caller, now: number): () => void {
    const resetsAt = now + busyRetry;
    if (this.#keys.has(hash)) {
      const message = 'A file is being made for this key: try again when it is done.';
      throw tooMany(message, { limit: 1, resetsAt, now });
    }
    if (this.#keys.size >= mostExports) {
      const message = `${mostExports} files are being made: try again when it is done.`;
      throw tooMany(message, { limit: mostExports, resetsAt, now });
    }
    this.#keys.add(hash);
    return () => this.#keys.delete(hash);
  }
}
