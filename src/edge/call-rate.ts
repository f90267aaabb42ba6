import { HeadgateError } from '../core/errors.ts';
import { minuteLength } from '../util/utc-windows.ts';

/**
 * Lets each key make so many calls of one kind a minute. Counted in this process alone: it keeps runaway clients off
 * providers and is no quota.
 */
export class CallRate {
  readonly #callsPerMinute: () => number;
  readonly #subject: string;
  readonly #kind: string;
  #window = 0;
  #calls = new Map<string, number>();

  /**
   * @param callsPerMinute Asked at each call.
   * @param subject What has the limit, for the message: "A key".
   * @param kind What is counted, for the message.
   */
  constructor(callsPerMinute: () => number, subject: string, kind = 'calls') {
    this.#callsPerMinute = callsPerMinute;
    this.#subject = subject;
    this.#kind = kind;
  }

  /**
   * @param now Unix milliseconds.
   * @throws HeadgateError `platform_rate_limit` for the call too many.
   */
  admit({ key }: { readonly key: { readonly hash: string } }, now: number): void {
    const window = Math.floor(now / minuteLength);
    if (window !== this.#window) {
      this.#window = window;
      this.#calls = new Map();
    }
    const calls = (this.#calls.get(key.hash) ?? 0) + 1;
    const limit = this.#callsPerMinute();
    if (calls > limit) this.#refuse(now, limit);
    this.#calls.set(key.hash, calls);
  }

  #refuse(now: number, limit: number): never {
    const end = (this.#window + 1) * minuteLength;
    const wait = Math.ceil((end - now) / 1000);
    const message = `${this.#subject} has ${limit} ${this.#kind} a minute.`;
    throw new HeadgateError('platform_rate_limit', message, {
      retryAfter: wait,
      headers: {
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(end),
      },
    });
  }
}
