import { type NanoUsd, nanoFromInteger, zeroUsd } from '../../core/money.ts';
import {
  type FullLimit,
  type HoldOutcome,
  type HoldTerms,
  type InFlightView,
  type LimitShare,
  type LimitTerms,
  limitMemory,
} from '../../ports/in-flight-budget.ts';
import { LinkedMap } from '../../util/linked-map.ts';

interface Hold {
  readonly requestId: string;
  readonly amount: bigint;
  readonly lapsesAt: number;
  readonly note: string | undefined;
  /** What it holds of limits. */
  readonly shares: readonly LimitShare[];
}

/** A request whose lease has expired, and the note stored with its hold. */
export interface LapsedRequest {
  readonly requestId: string;
  readonly note: string | undefined;
}

const fits: HoldOutcome = { held: true };
const noShares: readonly LimitShare[] = [];

/**
 * The holds and settling charges of one account. Times are milliseconds of one clock, passed by the caller.
 */
export class AccountHolds {
  readonly #running = new LinkedMap<string, Hold>();
  readonly #settling = new SettlingCharges();
  /** Undefined until a request counts in a limit. */
  #pots: LimitPots | undefined;
  /** The sum of both. */
  #total = 0n;
  /** No running hold expires before this time. */
  #earliestLapse = Number.POSITIVE_INFINITY;

  get total(): NanoUsd {
    return this.#total as NanoUsd;
  }

  /** @param limit How many holds to name at most. */
  look(now: number, limit: number): InFlightView {
    const first = [...this.#running.values()].sort((one, other) => one.lapsesAt - other.lapsesAt);
    const holds = first.slice(0, limit).map(({ requestId, amount, lapsesAt, note }) => ({
      requestId,
      amount: nanoFromInteger(amount),
      leaseLeft: lapsesAt - now,
      ...(note === undefined ? {} : { note }),
    }));
    return { total: this.total, running: this.#running.size, holds };
  }

  get empty(): boolean {
    return this.#running.size === 0 && this.#settling.empty && this.#pots?.empty !== false;
  }

  hold(requestId: string, amount: NanoUsd, terms: HoldTerms, now: number): HoldOutcome {
    const hold = this.#running.get(requestId);
    let shares = noShares;
    if (terms.limits !== undefined) {
      this.#pots ??= new LimitPots();
      const fitting = this.#pots.fit(terms, hold?.shares ?? noShares, now);
      if ('held' in fitting) return fitting;
      shares = fitting;
    }
    const current = hold?.amount ?? 0n;
    const excess = this.#total - current + amount - terms.budget;
    if (amount > current && excess > 0n) {
      return { held: false, retryAfter: this.#wait(excess, terms.settlementWindow, now) };
    }
    if (terms.isTrial !== true) {
      if (terms.limits !== undefined) this.#pots?.read(terms.limits, now);
      this.set(requestId, amount, { now, lapsesAt: now + terms.lease, note: terms.note, shares });
    }
    return shares.length === 0 ? fits : { held: true, shares };
  }

  /** Sets a hold unconditionally. @param shares What it holds of limits; undefined leaves that. */
  set(
    requestId: string,
    amount: NanoUsd,
    terms: {
      readonly now: number;
      readonly lapsesAt: number;
      readonly note?: string | undefined;
      readonly shares?: readonly LimitShare[] | undefined;
    },
  ): void {
    const { now, lapsesAt } = terms;
    const before = this.#remove(requestId, now);
    const shares = terms.shares ?? before?.shares ?? noShares;
    if (amount === 0n && shares.length === 0) return;
    const note = before?.note ?? terms.note;
    this.#running.set(requestId, { requestId, amount, lapsesAt, note, shares });
    this.#total += amount;
    if (shares.length > 0) {
      this.#pots ??= new LimitPots();
      this.#pots.take(shares, now);
    }
    this.#earliestLapse = Math.min(this.#earliestLapse, lapsesAt);
  }

  settle(
    requestId: string,
    charge: NanoUsd,
    terms: { readonly now: number; readonly releasedAt: number },
    shares: readonly LimitShare[] = noShares,
  ): void {
    const { now, releasedAt } = terms;
    const held = this.#remove(requestId, now)?.shares ?? noShares;
    if (held.length > 0) {
      const known = shares.filter((share) => held.some(({ id }) => id === share.id));
      this.#pots?.charge(known, now);
    }
    if (charge === 0n || this.#settling.has(requestId)) return;
    this.#settling.add(requestId, charge, releasedAt);
    this.#total += charge;
  }

  /** Counts charges of limits that nothing was held for. */
  charge(shares: readonly LimitShare[], now: number): void {
    this.#pots?.charge(shares, now);
  }

  renew(requestId: string, lapsesAt: number): void {
    const hold = this.#running.get(requestId);
    if (hold === undefined) return;
    this.#running.set(requestId, { ...hold, lapsesAt });
  }

  /** Removes what has ended at `now` and returns the requests whose lease has expired. */
  expire(now: number): readonly LapsedRequest[] {
    this.#total -= this.#settling.release(now);
    return now < this.#earliestLapse ? [] : this.#lapse(now);
  }

  #lapse(now: number): readonly LapsedRequest[] {
    const lapsed: LapsedRequest[] = [];
    let earliest = Number.POSITIVE_INFINITY;
    for (const { requestId, amount, lapsesAt, note, shares } of [...this.#running.values()]) {
      if (lapsesAt > now) {
        earliest = Math.min(earliest, lapsesAt);
        continue;
      }
      this.#running.delete(requestId);
      this.#total -= amount;
      this.#pots?.release(shares, now);
      lapsed.push({ requestId, note });
    }
    this.#earliestLapse = earliest;
    return lapsed;
  }

  /** Forgets limits that were not used for a while. */
  forgetLimits(now: number): void {
    this.#pots?.forget(now);
  }

  #remove(requestId: string, now: number): Hold | undefined {
    const hold = this.#running.get(requestId);
    if (hold === undefined) return undefined;
    this.#running.delete(requestId);
    this.#total -= hold.amount;
    if (hold.shares.length > 0) this.#pots?.release(hold.shares, now);
    return hold;
  }

  /** Seconds until enough settling charges are released (docs/spec/money.md#in-flight-budget). */
  #wait(need: bigint, settlementWindow: number, now: number): number {
    const longest = Math.max(1, Math.ceil(settlementWindow / 1000));
    const at = this.#settling.releaseOf(need);
    return at === undefined ? longest : Math.min(longest, Math.max(1, Math.ceil((at - now) / 1000)));
  }
}

/** Milliseconds of releases in one bucket: few buckets are quick to scan, short ones are freed early. */
const stretchLength = 10_000;

/** Amounts that are released at the same moment. */
interface Release {
  amount: bigint;
  readonly at: number;
}

/** Charges that are released at about the same time. */
class Stretch {
  readonly beginsAt: number;
  readonly requestIds = new Set<string>();
  readonly #releases: Release[] = [];
  #done = 0;
  #rest = 0n;

  constructor(beginsAt: number) {
    this.beginsAt = beginsAt;
  }

  /** The sum of what is not released yet. */
  get rest(): bigint {
    return this.#rest;
  }

  add(amount: bigint, at: number): void {
    const last = this.#releases.at(-1);
    if (last?.at === at && this.#done < this.#releases.length) last.amount += amount;
    else this.#releases.push({ amount, at });
    this.#rest += amount;
  }

  release(now: number): bigint {
    const before = this.#rest;
    for (let next = this.#releases[this.#done]; next !== undefined && next.at <= now; ) {
      this.#rest -= next.amount;
      this.#done += 1;
      next = this.#releases[this.#done];
    }
    return before - this.#rest;
  }

  /** When the last part of a needed amount is released. */
  releaseOf(need: bigint): number | undefined {
    let released = 0n;
    return this.#releases.slice(this.#done).find(({ amount }) => {
      released += amount;
      return released >= need;
    })?.at;
  }
}

/**
 * The charges of an account's requests that ended recently, each until its release. A busy account has a million of
 * them. Buckets of time are dropped as a whole, so the cost does not depend on the number of charges; finding the
 * first entry of a map would scan all entries deleted before it. Times are milliseconds of one clock.
 */
export class SettlingCharges {
  /** In order of release. */
  readonly #stretches: Stretch[] = [];
  #lastRelease = 0;

  get empty(): boolean {
    return this.#stretches.length === 0;
  }

  /** Whether the charge of a request is still settling. */
  has(requestId: string): boolean {
    return this.#stretches.some(({ requestIds }) => requestIds.has(requestId));
  }

  /** Adds a charge; one that is due before existing ones is released with the last of them. */
  add(requestId: string, amount: bigint, releasedAt: number): void {
    this.#lastRelease = Math.max(Math.ceil(releasedAt), this.#lastRelease);
    let stretch = this.#stretches.at(-1);
    if (stretch === undefined || this.#lastRelease - stretch.beginsAt >= stretchLength) {
      stretch = new Stretch(this.#lastRelease);
      this.#stretches.push(stretch);
    }
    stretch.requestIds.add(requestId);
    stretch.add(amount, this.#lastRelease);
  }

  /** Removes what is due and returns its sum. */
  release(now: number): bigint {
    let released = 0n;
    for (let first = this.#stretches[0]; first !== undefined && first.beginsAt <= now; ) {
      released += first.release(now);
      if (first.rest > 0n) break;
      this.#stretches.shift();
      first = this.#stretches[0];
    }
    return released;
  }

  /** When the amount will be released; undefined when everything together is less. */
  releaseOf(need: bigint): number | undefined {
    let missing = need;
    for (const stretch of this.#stretches) {
      if (stretch.rest >= missing) return stretch.releaseOf(missing);
      missing -= stretch.rest;
    }
    return undefined;
  }
}

/** A limit that requests count in. */
interface Pot {
  spent: bigint;
  /** The sum of what running requests hold. */
  held: bigint;
  window: number;
  usedAt: number;
}

/**
 * What running requests of an account hold of limits, and what was spent of these. Times are milliseconds of one clock.
 * In one process a charge becomes known in the same turn in which its hold ends, so what a hold says to be spent is
 * never a charge that is held as well.
 */
class LimitPots {
  readonly #pots = new Map<string, Pot>();

  get empty(): boolean {
    return this.#pots.size === 0;
  }

  /** What a request would hold, or the first limit of which nothing is left. @param own What it holds now. */
  fit(
    { limits = [], isBegun }: HoldTerms,
    own: readonly LimitShare[],
    now: number,
  ): readonly LimitShare[] | FullLimit {
    const shares: LimitShare[] = [];
    for (const terms of limits) {
      const { id, limit, amount } = terms;
      const mine = own.find((share) => share.id === id)?.amount ?? zeroUsd;
      const spent = this.#spentOf(terms, now);
      const left = limit - spent - ((this.#pots.get(id)?.held ?? 0n) - mine);
      if (left <= 0n && mine === zeroUsd && amount > zeroUsd && isBegun !== true) {
        return { held: false, limit: id, spent };
      }
      const most = left > mine ? left : mine;
      shares.push({ id, window: terms.window, amount: nanoFromInteger(amount < most ? amount : most) });
    }
    return shares;
  }

  /** Takes what the holds of a request say to be spent. */
  read(limits: readonly LimitTerms[], now: number): void {
    for (const terms of limits) {
      const spent = this.#spentOf(terms, now);
      const pot = this.#potOf(terms.id, terms.window, now);
      pot.spent = spent;
      if (terms.window > pot.window) pot.window = terms.window;
    }
  }

  /** Adds shares to what is held. */
  take(shares: readonly LimitShare[], now: number): void {
    for (const { id, window, amount } of shares) this.#potOf(id, window, now).held += amount;
  }

  /** Releases shares. */
  release(shares: readonly LimitShare[], now: number): void {
    for (const { id, amount } of shares) {
      const pot = this.#pots.get(id);
      if (pot === undefined) continue;
      pot.held -= amount;
      pot.usedAt = now;
    }
  }

  /** Adds charges to what was spent of the limits that are known. */
  charge(shares: readonly LimitShare[], now: number): void {
    for (const { id, window, amount } of shares) {
      const pot = this.#known(id, now);
      if (pot === undefined || window < pot.window) continue;
      if (window > pot.window) {
        pot.window = window;
        pot.spent = 0n;
      }
      pot.spent += amount;
      pot.usedAt = now;
    }
  }

  /** Forgets limits that were not used for a while. */
  forget(now: number): void {
    for (const id of this.#pots.keys()) if (this.#known(id, now) === undefined) this.#pots.delete(id);
  }

  #known(id: string, now: number): Pot | undefined {
    const pot = this.#pots.get(id);
    return pot === undefined || (pot.held === 0n && now - pot.usedAt >= limitMemory) ? undefined : pot;
  }

  #spentOf({ id, window, spent }: LimitTerms, now: number): NanoUsd {
    const pot = this.#known(id, now);
    if (pot === undefined || window > pot.window) return spent;
    return window === pot.window && spent > pot.spent ? spent : nanoFromInteger(pot.spent);
  }

  #potOf(id: string, window: number, now: number): Pot {
    let pot = this.#known(id, now);
    if (pot === undefined) {
      pot = { spent: 0n, held: 0n, window, usedAt: now };
      this.#pots.set(id, pot);
    }
    pot.usedAt = now;
    return pot;
  }
}
