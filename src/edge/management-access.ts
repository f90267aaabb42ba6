import { HeadgateError } from '../core/errors.ts';
import type { Caller } from '../settlement/caller.ts';
import { minuteLength } from '../util/utc-windows.ts';

/**
 * Lets management keys in, and each of them so many times a minute (docs/spec/accounts.md#authentication,
 * docs/spec/accounts.md#who-may-call-what). Counted in this process alone: it keeps runaway scripts off the database
 * and is no quota.
 */
export class ManagementAccess {
  readonly #callsPerMinute: number;
  #window = 0;
  #calls = new Map<string, number>();

  constructor(callsPerMinute: number) {
    this.#callsPerMinute = callsPerMinute;
  }

  /**
   * @param now Unix milliseconds.
   * @throws HeadgateError `permission_denied` for an inference key, `platform_rate_limit` for the call too many.
   */
  admit({ key }: Caller, now: number): void {
    if (key.kind !== 'management') {
      throw new HeadgateError('permission_denied', 'This needs a management key; yours is for inference.');
    }
    const window = Math.floor(now / minuteLength);
    if (window !== this.#window) {
      this.#window = window;
      this.#calls = new Map();
    }
    const calls = (this.#calls.get(key.hash) ?? 0) + 1;
    if (calls > this.#callsPerMinute) this.#refuse(now);
    this.#calls.set(key.hash, calls);
  }

  #refuse(now: number): never {
    const end = (this.#window + 1) * minuteLength;
    const wait = Math.ceil((end - now) / 1000);
    const message = `A management key has ${this.#callsPerMinute} calls a minute.`;
    throw new HeadgateError('platform_rate_limit', message, {
      retryAfter: wait,
      headers: {
        'x-ratelimit-limit': String(this.#callsPerMinute),
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(end),
      },
    });
  }
}
