/** How long and how many requests may wait for limits. */
export interface LimitWaitRules {
  /** Milliseconds that a request waits at most. */
  readonly patience: number;
  /** Milliseconds after which the first request in a line looks again by itself: other processes release holds too. */
  readonly poll: number;
  /** Requests that wait at most. */
  readonly room: number;
}

/** The usual rules. */
export const usualLimitWaits: LimitWaitRules = { patience: 2_000, poll: 100, room: 2_000 };

/**
 * Requests that wait until running ones release what they hold of a limit (docs/spec/money.md#held-limits). Each limit has a
 * line of its own, in which only the first request tries again: when a hold of its account ends in this process, when the
 * one before it got in, and now and then. An account may wait with as many requests as there is room left for others.
 */
export class LimitWaits {
  readonly #rules: LimitWaitRules;
  readonly #accounts = new Map<string, { waiting: number; readonly lines: Map<string, Waiting[]> }>();
  #waiting = 0;

  constructor(rules: LimitWaitRules = usualLimitWaits) {
    this.#rules = rules;
  }

  /** Requests that wait now. */
  get size(): number {
    return this.#waiting;
  }

  /** When a request that begins to wait now must be refused, by `performance.now()`. */
  deadline(): number {
    return performance.now() + this.#rules.patience;
  }

  /**
   * Enters the line of a limit; undefined where there is no room. Code that enters must leave.
   * @param signal Aborted when the request is over.
   */
  enter(
    accountId: string,
    limit: string,
    { deadline, signal }: { readonly deadline: number; readonly signal: AbortSignal | undefined },
  ): WaitingTurn | undefined {
    const { patience, room, poll } = this.#rules;
    const account = this.#accounts.get(accountId) ?? { waiting: 0, lines: new Map<string, Waiting[]>() };
    if (patience === 0 || account.waiting >= room - this.#waiting) return undefined;
    this.#accounts.set(accountId, account);
    account.waiting += 1;
    this.#waiting += 1;
    const line = account.lines.get(limit) ?? [];
    account.lines.set(limit, line);
    const waiting = new Waiting({ deadline, signal, poll, isFirst: () => line[0] === waiting });
    line.push(waiting);
    const leave = () => {
      const place = line.indexOf(waiting);
      if (place === -1) return;
      line.splice(place, 1);
      account.waiting -= 1;
      this.#waiting -= 1;
      if (line.length === 0) account.lines.delete(limit);
      if (account.waiting === 0) this.#accounts.delete(accountId);
      if (place === 0) line[0]?.wake();
    };
    return { limit, next: () => waiting.next(), leave };
  }

  /** Wakes the first request of each line: a place was freed that requests of any account may take. */
  freed(): void {
    for (const { lines } of this.#accounts.values()) for (const [first] of lines.values()) first?.wake();
  }

  /** Says that a hold of an account has ended. Costs next to nothing where none of its requests waits. */
  released(accountId: string): void {
    const account = this.#accounts.get(accountId);
    if (account !== undefined) for (const [first] of account.lines.values()) first?.wake();
  }
}

/** A place in a line. */
export interface WaitingTurn {
  readonly limit: string;
  /** Resolves with true when it is worth to try again, with false when time is up or the request is over. */
  next(): Promise<boolean>;
  /** Leaves the line; the next request tries then. */
  leave(): void;
}

interface WaitingParts {
  readonly deadline: number;
  readonly poll: number;
  readonly signal: AbortSignal | undefined;
  readonly isFirst: () => boolean;
}

class Waiting {
  readonly #parts: WaitingParts;
  #resolve: ((again: boolean) => void) | undefined;
  /** Whether it was woken while it tried. */
  #isDue = false;

  constructor(parts: WaitingParts) {
    this.#parts = parts;
  }

  wake(): void {
    if (this.#resolve === undefined) this.#isDue = true;
    else this.#resolve(true);
  }

  async next(): Promise<boolean> {
    const { deadline, poll, signal, isFirst } = this.#parts;
    const left = deadline - performance.now();
    if (left <= 0 || signal?.aborted === true) return false;
    if (this.#isDue) {
      this.#isDue = false;
      return true;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#resolve = resolve;
    const over = () => resolve(false);
    const timer = setTimeout(
      () => resolve(isFirst() && poll < left),
      isFirst() ? Math.min(poll, left) : left,
    );
    signal?.addEventListener('abort', over, { once: true });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', over);
      this.#resolve = undefined;
    }
  }
}
