import { HeadgateError } from '../../core/errors.ts';
import type { Caller } from '../../settlement/caller.ts';

/** Files that one process makes at the same time. */
export const mostExports = 4;

/** Files that are being made: one for each key, and a few in all, because each reads as fast as its client. */
export class RunningExports {
  readonly #keys = new Set<string>();

  /**
   * Counts a file of a key.
   * @returns To be called once it is made, or given up.
   * @throws HeadgateError `platform_rate_limit` for a file too many.
   */
  begin({ key: { hash } }: Caller): () => void {
    const reason = this.#keys.has(hash)
      ? 'A file is being made for this key'
      : this.#keys.size >= mostExports
        ? `${mostExports} files are being made`
        : undefined;
    if (reason !== undefined) {
      throw new HeadgateError('platform_rate_limit', `${reason}: try again when it is done.`, {
        retryAfter: 10,
      });
    }
    this.#keys.add(hash);
    return () => this.#keys.delete(hash);
  }
}
