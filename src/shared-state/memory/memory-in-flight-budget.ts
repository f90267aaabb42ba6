import { type NanoUsd, zeroUsd } from '../../core/money.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  HoldId,
  HoldOutcome,
  HoldTerms,
  InFlightBudget,
  InFlightView,
  LapsedHold,
  LimitShare,
} from '../../ports/in-flight-budget.ts';
import { AccountHolds } from './account-holds.ts';

/**
 * The in-flight budget of a single process. It never awaits between reading and writing, so every call is atomic. It
 * ends with its process, as the requests of its holds do.
 */
export class MemoryInFlightBudget implements InFlightBudget {
  readonly #clock: Clock;
  readonly #accounts = new Map<string, AccountHolds>();
  #lapsed: LapsedHold[] = [];

  /** @param clock For leases and windows; should be monotonic. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async hold(id: HoldId, amount: NanoUsd, terms: HoldTerms): Promise<HoldOutcome> {
    const now = this.#clock.now();
    return this.#current(id.accountId, now).hold(id.requestId, amount, terms, now);
  }

  async raise(id: HoldId, amount: NanoUsd, lease: number, shares?: readonly LimitShare[]): Promise<void> {
    const now = this.#clock.now();
    this.#current(id.accountId, now).set(id.requestId, amount, { now, lapsesAt: now + lease, shares });
  }

  async settle(
    id: HoldId,
    charge: NanoUsd,
    settlementWindow: number,
    shares?: readonly LimitShare[],
  ): Promise<void> {
    const now = this.#clock.now();
    const terms = { now, releasedAt: now + settlementWindow };
    this.#current(id.accountId, now).settle(id.requestId, charge, terms, shares);
  }

  async charge(accountId: string, shares: readonly LimitShare[]): Promise<void> {
    this.#accounts.get(accountId)?.charge(shares, this.#clock.now());
  }

  async renew(ids: readonly HoldId[], lease: number): Promise<void> {
    const now = this.#clock.now();
    for (const { accountId, requestId } of ids) {
      this.#current(accountId, now).renew(requestId, now + lease);
    }
  }

  async sweep(): Promise<readonly LapsedHold[]> {
    const now = this.#clock.now();
    for (const [accountId, holds] of this.#accounts) {
      this.#expire(accountId, holds, now);
      holds.forgetLimits(now);
      if (holds.empty) this.#accounts.delete(accountId);
    }
    const lapsed = this.#lapsed;
    this.#lapsed = [];
    return lapsed;
  }

  async inFlight(accountId: string): Promise<NanoUsd> {
    const holds = this.#accounts.get(accountId);
    if (holds === undefined) return zeroUsd;
    this.#expire(accountId, holds, this.#clock.now());
    return holds.total;
  }

  async look(accountId: string, limit: number): Promise<InFlightView> {
    const holds = this.#accounts.get(accountId);
    if (holds === undefined) return { total: zeroUsd, running: 0, holds: [] };
    const now = this.#clock.now();
    this.#expire(accountId, holds, now);
    return holds.look(now, limit);
  }

  #current(accountId: string, now: number): AccountHolds {
    let holds = this.#accounts.get(accountId);
    if (holds === undefined) {
      holds = new AccountHolds();
      this.#accounts.set(accountId, holds);
    }
    this.#expire(accountId, holds, now);
    return holds;
  }

  #expire(accountId: string, holds: AccountHolds, now: number): void {
    for (const { requestId, note } of holds.expire(now)) {
      this.#lapsed.push(note === undefined ? { accountId, requestId } : { accountId, requestId, note });
    }
  }
}
