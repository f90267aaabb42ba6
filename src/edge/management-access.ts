import { HeadgateError } from '../core/errors.ts';
import type { Caller } from '../settlement/caller.ts';
import { CallRate } from './call-rate.ts';

/**
 * Lets management keys in, and each of them so many times a minute (docs/spec/accounts.md#authentication,
 * docs/spec/accounts.md#who-may-call-what).
 */
export class ManagementAccess {
  readonly #rate: CallRate;

  constructor(callsPerMinute: number) {
    this.#rate = new CallRate(() => callsPerMinute, 'A management key');
  }

  /**
   * @param now Unix milliseconds.
   * @throws HeadgateError `permission_denied` for an inference key, `platform_rate_limit` for the call too many.
   */
  admit(caller: Caller, now: number): void {
    if (caller.key.kind !== 'management') {
      throw new HeadgateError('permission_denied', 'This needs a management key; yours is for inference.');
    }
    this.#rate.admit(caller, now);
  }
}
