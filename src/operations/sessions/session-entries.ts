import { networkOf } from '../../util/address-list.ts';
import { LinkedMap } from '../../util/linked-map.ts';

const hour = 3_600_000;
/** Entries of their own that repeated actions get before they share some. */
const single = 10;
/** Networks of one key that are counted apart in an hour. */
const mostNetworks = 20;
/** Counts that are remembered; the oldest go first. */
const mostCounts = 10_000;

interface Count {
  readonly hour: number;
  count: number;
}

/** What the audit log gets of one login or logout. */
export interface SessionEntry {
  readonly isUnnoted: boolean;
  /** How many there were within the hour, where they share entries. */
  readonly count?: number;
}

/**
 * Keeps logins and logouts that repeat from filling the audit log (docs/spec/dashboard.md#login). Of one key and network
 * the first ten in an hour get an entry each; then the twentieth, the fortieth and so on get one with their number.
 * Counted in this process.
 */
export class SessionEntries {
  readonly #counts = new LinkedMap<string, Count>();

  /** Counts an action of a key. @param now Unix milliseconds. */
  count(action: string, keyHash: string, address: string | undefined, now: number): SessionEntry {
    const count = this.#add(this.#networkName(`${action} ${keyHash}`, networkOf(address ?? ''), now), now);
    if (count <= single) return { isUnnoted: false };
    const doublings = Math.log2(count / (2 * single));
    return { isUnnoted: !Number.isInteger(doublings) || doublings < 0, count };
  }

  /** Networks beyond the first ones of an hour are one. */
  #networkName(owner: string, network: string, now: number): string {
    const name = `${owner} ${network}`;
    if (this.#current(name, now) !== undefined) return name;
    const known = this.#current(owner, now)?.count ?? 0;
    if (known >= mostNetworks) return `${owner} others`;
    this.#add(owner, now);
    return name;
  }

  #add(name: string, now: number): number {
    const found = this.#current(name, now) ?? { hour: Math.floor(now / hour), count: 0 };
    found.count += 1;
    this.#counts.set(name, found);
    const { oldest } = this.#counts;
    if (this.#counts.size > mostCounts && oldest !== undefined) this.#counts.delete(oldest[0]);
    return found.count;
  }

  #current(name: string, now: number): Count | undefined {
    const found = this.#counts.get(name);
    return found?.hour === Math.floor(now / hour) ? found : undefined;
  }
}
