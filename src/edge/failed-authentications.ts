import { tooMany } from '../core/too-many.ts';
import { networkOf } from '../util/address-list.ts';
import { LinkedMap } from '../util/linked-map.ts';
import { minuteLength } from '../util/utc-windows.ts';

/** Networks that are remembered at a time; beyond them the one that failed first is forgotten. */
const mostNetworks = 10_000;
/** Milliseconds between two lookups that a network has once it failed too often. */
const lookupPause = 1000;

interface Failures {
  /** When the minute in which they count began, Unix milliseconds. */
  readonly since: number;
  count: number;
  lookedUpAt: number;
}

/**
 * Counts keys that were not accepted, by client network, so that guessing them does not cost a database lookup each
 * (docs/spec/accounts.md#failed-authentication). Keys that this process knows are not concerned.
 */
export class FailedAuthentications {
  readonly #perMinute: () => number;
  readonly #networks = new LinkedMap<string, Failures>();
  readonly #onFailure: (reason: 'rejected' | 'throttled') => void;

  /**
   * @param perMinute Failures of a network in a minute; 0 means any number.
   * @param onFailure Called for each key that was not accepted, and each that was not looked up.
   */
  constructor(perMinute: () => number, onFailure: (reason: 'rejected' | 'throttled') => void) {
    this.#perMinute = perMinute;
    this.#onFailure = onFailure;
  }

  /**
   * Asked before a key is looked up that this process does not know.
   * @param now Unix milliseconds.
   * @throws HeadgateError `platform_rate_limit` when its network failed too often.
   */
  admitLookup(address: string | undefined, now: number): void {
    if (this.#networks.size === 0 || address === undefined) return;
    const failures = this.#current(networkOf(address), now);
    const limit = this.#perMinute();
    if (failures === undefined || limit === 0 || failures.count < limit) return;
    // A neighbour behind the same address is not locked out.
    if (now - failures.lookedUpAt >= lookupPause) {
      failures.lookedUpAt = now;
      return;
    }
    this.#onFailure('throttled');
    throw tooMany(
      'Too many API keys from this address were not accepted. Keys that work are served; try yours again.',
      { limit, resetsAt: failures.lookedUpAt + lookupPause, now },
    );
  }

  /** Notes a key that was not accepted. */
  failed(address: string | undefined, now: number): void {
    this.#onFailure('rejected');
    if (address === undefined || this.#perMinute() === 0) return;
    const network = networkOf(address);
    const failures = this.#current(network, now);
    if (failures !== undefined) {
      failures.count += 1;
      return;
    }
    this.#networks.set(network, { since: now, count: 1, lookedUpAt: now });
    const { oldest } = this.#networks;
    if (this.#networks.size > mostNetworks && oldest !== undefined) this.#networks.delete(oldest[0]);
  }

  #current(network: string, now: number): Failures | undefined {
    const failures = this.#networks.get(network);
    if (failures === undefined) return undefined;
    const age = now - failures.since;
    if (age >= 0 && age < minuteLength) return failures;
    this.#networks.delete(network);
    return undefined;
  }
}
