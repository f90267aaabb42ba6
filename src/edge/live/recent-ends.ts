/** Seconds whose ends are counted. */
const countedSeconds = 60;

interface Second {
  readonly second: number;
  done: number;
  failed: number;
}

/** Counts the requests that ended within the last minute. */
export class RecentEnds {
  readonly #seconds: Second[] = [];

  /** @param at Unix milliseconds, never earlier than the one before. */
  add(at: number, isDone: boolean): void {
    const second = Math.floor(at / 1000);
    let last = this.#seconds.at(-1);
    if (last?.second !== second) {
      last = { second, done: 0, failed: 0 };
      this.#seconds.push(last);
      if (this.#seconds.length > countedSeconds) this.#seconds.shift();
    }
    if (isDone) last.done += 1;
    else last.failed += 1;
  }

  /** How many came to their end, and how many did not. @param now Unix milliseconds. */
  lastMinute(now: number): { readonly done: number; readonly failed: number } {
    const since = Math.floor(now / 1000) - countedSeconds;
    const recent = this.#seconds.filter(({ second }) => second > since);
    return {
      done: recent.reduce((sum, { done }) => sum + done, 0),
      failed: recent.reduce((sum, { failed }) => sum + failed, 0),
    };
  }
}
