import { type NanoUsd, nanoFromInteger } from '../../core/money.ts';
import type { HoldOutcome, HoldTerms, InFlightView } from '../../ports/in-flight-budget.ts';
import { LinkedMap } from '../../util/linked-map.ts';
import { SettlingCharges } from './settling-charges.ts';

interface Hold {
  readonly requestId: string;
  readonly amount: bigint;
  readonly lapsesAt: number;
  readonly note: string | undefined;
}

/** A request whose lease has expired, and the note stored with its hold. */
export interface LapsedRequest {
  readonly requestId: string;
  readonly note: string | undefined;
}

const fits: HoldOutcome = { held: true };

/**
 * The holds and settling charges of one account. Times are milliseconds of one clock, passed by the caller.
 */
export class AccountHolds {
  readonly #running = new LinkedMap<string, Hold>();
  readonly #settling = new SettlingCharges();
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
    return this.#running.size === 0 && this.#settling.empty;
  }

  hold(requestId: string, amount: NanoUsd, terms: HoldTerms, now: number): HoldOutcome {
    const current = this.#running.get(requestId)?.amount ?? 0n;
    const excess = this.#total - current + amount - terms.budget;
    if (amount > current && excess > 0n) {
      return { held: false, retryAfter: this.#wait(excess, terms.settlementWindow, now) };
    }
    this.set(requestId, amount, now + terms.lease, terms.note);
    return fits;
  }

  set(requestId: string, amount: NanoUsd, lapsesAt: number, note?: string): void {
    const before = this.#remove(requestId);
    if (amount === 0n) return;
    this.#running.set(requestId, { requestId, amount, lapsesAt, note: before?.note ?? note });
    this.#total += amount;
    this.#earliestLapse = Math.min(this.#earliestLapse, lapsesAt);
  }

  settle(requestId: string, charge: NanoUsd, releasedAt: number): void {
    this.#remove(requestId);
    if (charge === 0n || this.#settling.has(requestId)) return;
    this.#settling.add(requestId, charge, releasedAt);
    this.#total += charge;
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
    for (const { requestId, amount, lapsesAt, note } of [...this.#running.values()]) {
      if (lapsesAt > now) {
        earliest = Math.min(earliest, lapsesAt);
        continue;
      }
      this.#running.delete(requestId);
      this.#total -= amount;
      lapsed.push({ requestId, note });
    }
    this.#earliestLapse = earliest;
    return lapsed;
  }

  #remove(requestId: string): Hold | undefined {
    const hold = this.#running.get(requestId);
    if (hold === undefined) return undefined;
    this.#running.delete(requestId);
    this.#total -= hold.amount;
    return hold;
  }

  /** Seconds until enough settling charges are released (docs/spec/money.md#in-flight-budget). */
  #wait(need: bigint, settlementWindow: number, now: number): number {
    const longest = Math.max(1, Math.ceil(settlementWindow / 1000));
    const at = this.#settling.releaseOf(need);
    return at === undefined ? longest : Math.min(longest, Math.max(1, Math.ceil((at - now) / 1000)));
  }
}
