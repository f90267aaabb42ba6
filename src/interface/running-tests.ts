import { HeadgateError } from '../core/errors.ts';

/** Test calls of an account that run at the same time in one process. */
export const mostTests = 2;

/** Test calls that are being made: a few for each account, because they cost money. */
export class RunningTests {
  readonly #accounts = new Map<string, number>();

  /**
   * Counts a test of an account.
   * @returns To be called once it is over.
   * @throws HeadgateError `platform_rate_limit` for a test too many.
   */
  begin(accountId: string): () => void {
    const running = this.#accounts.get(accountId) ?? 0;
    if (running >= mostTests) {
      const message = `${mostTests} tests of credentials are running: try again when one is done.`;
      throw new HeadgateError('platform_rate_limit', message, { retryAfter: 5 });
    }
    this.#accounts.set(accountId, running + 1);
    return () => {
      const left = (this.#accounts.get(accountId) ?? 1) - 1;
      if (left === 0) this.#accounts.delete(accountId);
      else this.#accounts.set(accountId, left);
    };
  }
}
