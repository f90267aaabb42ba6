import { tooMany } from '../core/too-many.ts';
import { minuteLength } from '../util/utc-windows.ts';

/** Whose calls are counted; the account only where calls count by account. */
interface Counted {
  readonly key: { readonly hash: string };
  readonly account?: { readonly id: string };
}

/**
 * Lets each key, or each account, make so many calls of one kind a minute. Counted in this process alone: it keeps runaway clients off
 * providers and is no quota.
 */
export class CallRate {
  readonly #callsPerMinute: () => number;
  readonly #subject: string;
  readonly #of: 'key' | 'account';
  readonly #kind: string;
  #window = 0;
  #calls = new Map<string, number>();

  /**
   * @param callsPerMinute Asked at each call.
   * @param subject What has the limit, for the message: "A key".
   * @param of Whose calls count together.
   * @param kind What is counted, for the message.
   */
  constructor(callsPerMinute: () => number, subject: string, of: 'key' | 'account' = 'key', kind = 'calls') {
    this.#callsPerMinute = callsPerMinute;
    this.#subject = subject;
    this.#of = of;
    this.#kind = kind;
  }

  /**
   * @param now Unix milliseconds.
   * @throws HeadgateError `platform_rate_limit` for the call too many.
   */
  admit({ key, account }: Counted, now: number): void {
    const id = this.#of === 'key' ? key.hash : (account?.id ?? '');
    const window = Math.floor(now / minuteLength);
    if (window !== this.#window) {
      this.#window = window;
      this.#calls = new Map();
    }
    const calls = (this.#calls.get(id) ?? 0) + 1;
    const limit = this.#callsPerMinute();
    if (calls > limit) this.#refuse(now, limit);
    this.#calls.set(id, calls);
  }

  #refuse(now: number, limit: number): never {
    const resetsAt = (this.#window + 1) * minuteLength;
    throw tooMany(`${this.#subject} has ${limit} ${this.#kind} a minute.`, { limit, resetsAt, now });
  }
}
