import { limits, tokenPrices } from './scenario.ts';

type Reset = 'daily' | 'weekly' | 'monthly' | null;

/** What an operator may set of the account and of its two keys. */
export interface Settings {
  prepaid: boolean;
  inflightExempt: boolean;
  freeLimitExempt: boolean;
  readonly caps: { amount: number | null; reset: Reset }[];
}

/** A call as the model knows it. */
export interface NaiveCall {
  readonly key: number;
  readonly free: boolean;
  readonly maxTokens: number;
  /** A call keeps to the account's settings of when it began; money is that of the moment. */
  readonly exempt: boolean;
  /** The limit that its key had when it began. */
  readonly limited: { readonly amount: number; readonly reset: Reset } | undefined;
  endpoint: number;
  /** False once its process died: nobody renews its hold. */
  alive: boolean;
  /** What it has in flight, until the lease lapses. */
  hold: { amount: number; lapsesAt: number } | undefined;
  /** Whether it ever held: only then its charge goes on counting. */
  held: boolean;
  /** What it holds of the limit that its key had when it began, until the lease lapses. */
  share: { amount: number; readonly reset: Reset; lapsesAt: number } | undefined;
}

interface Charge {
  readonly key: number;
  readonly amount: number;
  readonly at: number;
  readonly free: boolean;
  readonly madeAt: number;
}

/** Why a call is refused: status, source, reason and Retry-After. */
export type Refusal = readonly [number, string | undefined, string | undefined, number | undefined];

const { inFlightBudget: rules, freeModels } = limits;
const credits: Refusal = [402, 'service_credits', undefined, undefined];
const minute = 60_000;
const day = 86_400_000;

/** Everybody's money as lists of everything that ever happened, added up anew for every question. */
export class NaiveMoney {
  now: number;
  readonly createdAt: number;
  readonly settings: Settings;
  readonly entries: { readonly amount: number; readonly purchase: boolean }[] = [];
  readonly charges: Charge[] = [];
  settling: { readonly amount: number; readonly releasedAt: number }[] = [];
  freeRequests: number[] = [];
  readonly calls = new Map<number, NaiveCall & { readonly madeAt: number }>();

  constructor(now: number, settings: Settings) {
    this.now = now;
    this.createdAt = now;
    this.settings = settings;
  }

  get spent(): number {
    return sum(this.charges.map(({ amount }) => amount));
  }

  get balance(): number {
    return sum(this.entries.map(({ amount }) => amount)) - this.spent;
  }

  get purchased(): number {
    return sum(this.entries.filter(({ purchase }) => purchase).map(({ amount }) => amount));
  }

  get inFlight(): number {
    const running = [...this.calls.values()].map(({ hold }) => hold?.amount ?? 0);
    return sum(running) + sum(this.settling.map(({ amount }) => amount));
  }

  get freeToday(): number {
    return this.freeRequests.filter((time) => dayName(time) === dayName(this.now)).length;
  }

  keySpend(key: number) {
    const mine = this.charges.filter((charge) => charge.key === key);
    const within = (name: (time: number) => string) =>
      sum(mine.filter(({ at }) => name(at) === name(this.now)).map(({ amount }) => amount));
    return {
      total: sum(mine.map(({ amount }) => amount)),
      daily: within(dayName),
      weekly: within(mondayName),
      monthly: within((time) => dayName(time).slice(0, 7)),
    };
  }

  /** Begins a call, or tells why it is refused. */
  admit(id: number, key: number, free: boolean, maxTokens: number): Refusal | undefined {
    if (this.settings.prepaid && this.balance < 0) return credits;
    if (!free && this.#capReached(key)) return [402, 'service_key_limit', undefined, undefined];
    const { amount, reset } = this.settings.caps[key] ?? { amount: null, reset: null };
    const limited = amount === null ? undefined : { amount, reset };
    const call = {
      key,
      free,
      maxTokens,
      limited,
      exempt: this.settings.inflightExempt,
      endpoint: 0,
      alive: true,
    };
    const known = { ...call, hold: undefined, held: false, share: undefined, madeAt: this.now };
    const refusal = free ? this.#countFree() : this.#afford(known, 0, true);
    if (refusal === undefined) this.calls.set(id, known);
    return refusal;
  }

  /** Moves a call to another endpoint, or tells why that one is passed over. */
  fallBack(id: number, endpoint: number): Refusal | undefined {
    const call = this.calls.get(id);
    if (call === undefined || call.free) return undefined;
    return this.#afford(call, endpoint, false);
  }

  /** Ends a call with a charge, zero or not. */
  settle(id: number, amount: number): void {
    const call = this.calls.get(id);
    if (call === undefined) return;
    this.calls.delete(id);
    this.charges.push({ key: call.key, amount, at: this.now, free: call.free, madeAt: call.madeAt });
    if (call.held && amount > 0) {
      this.settling.push({ amount, releasedAt: this.now + rules.settlementWindow });
    }
  }

  /** Time goes on; leases of calls whose process lives are renewed at the end, unless they lapsed. */
  advance(milliseconds: number): void {
    this.now += milliseconds;
    this.settling = this.settling.filter(({ releasedAt }) => releasedAt > this.now);
    for (const call of this.calls.values()) {
      if (call.hold !== undefined && call.hold.lapsesAt <= this.now) call.hold = undefined;
      if (call.hold !== undefined && call.alive) call.hold.lapsesAt = this.now + rules.lease;
      if (call.share !== undefined && call.share.lapsesAt <= this.now) call.share = undefined;
      if (call.share !== undefined && call.alive) call.share.lapsesAt = this.now + rules.lease;
    }
  }

  /** The process dies and another one starts: what it kept in memory is gone, what was booked is not. */
  restart(): void {
    this.calls.clear();
    this.settling = [];
    this.freeRequests = this.charges.filter(({ free }) => free).map(({ madeAt }) => madeAt);
  }

  #capReached(key: number): boolean {
    const cap = this.settings.caps[key];
    if (cap === undefined || cap.amount === null) return false;
    return this.keySpend(key)[cap.reset ?? 'total'] >= cap.amount;
  }

  /** Seconds until the next minute or day begins. */
  #untilNext(length: number): number {
    return (length - (this.now % length)) / 1000;
  }

  #countFree(): Refusal | undefined {
    const { perMinute, perDay, perDayAfterPurchase, purchaseThreshold } = freeModels;
    const enough = this.purchased >= Number(purchaseThreshold);
    const thisMinute = this.freeRequests.filter((time) => minuteOf(time) === minuteOf(this.now)).length;
    if (!this.settings.freeLimitExempt) {
      if (this.freeToday >= (enough ? perDayAfterPurchase : perDay)) {
        return [429, 'service_free_tier_daily', undefined, this.#untilNext(day)];
      }
      if (thisMinute >= perMinute)
        return [429, 'service_free_tier_minute', undefined, this.#untilNext(minute)];
    }
    this.freeRequests.push(this.now);
    return undefined;
  }

  /** Rows 3 to 6 of docs/spec/money.md#refusals. */
  #afford(call: NaiveCall, endpoint: number, first: boolean): Refusal | undefined {
    const { balance } = this;
    const cost = Math.min(call.maxTokens, rules.outputTokensCap) * (tokenPrices[endpoint] ?? 0);
    if (!this.settings.prepaid) return this.#share(call, cost) ?? this.#move(call, endpoint);
    if (balance <= 0) return credits;
    if (call.exempt || !this.#isSubject()) {
      return cost > balance ? credits : (this.#share(call, cost) ?? this.#move(call, endpoint));
    }
    const budget = Math.min(Math.floor(balance / 2), Number(rules.ceiling));
    if (first && cost > budget) return [402, 'service_credits', 'weight_exceeds_budget', undefined];
    const { share: before, hold } = call;
    const reserved = this.#share(call, cost);
    if (reserved !== undefined) return reserved;
    call.hold = hold;
    const current = hold?.amount ?? 0;
    const need = this.inFlight - current + cost - budget;
    if (cost > current && need > 0) {
      call.share = before;
      return [402, 'service_in_flight_budget', 'in_flight_budget_exhausted', this.#wait(need)];
    }
    call.hold = { amount: cost, lapsesAt: this.now + rules.lease };
    call.held = true;
    return this.#move(call, endpoint);
  }

  /** Holds what a call may cost of the limit of its key, or tells why not: running calls hold what is left. */
  #share(call: NaiveCall, cost: number): Refusal | undefined {
    const { limited } = call;
    if (limited === undefined) return undefined;
    const { amount, reset } = limited;
    const spent = this.keySpend(call.key)[reset ?? 'total'];
    const others = [...this.calls.values()].filter((one) => one.key === call.key && one !== call);
    const held = sum(others.map(({ share }) => (share?.reset === reset ? share.amount : 0)));
    const mine = call.share?.amount ?? 0;
    const left = amount - spent - held;
    if (left <= 0 && mine === 0) {
      return [
        402,
        'service_key_limit',
        spent >= amount ? undefined : 'limit_reserved',
        spent >= amount ? undefined : 1,
      ];
    }
    call.share = { amount: Math.min(cost, Math.max(left, mine)), reset, lapsesAt: this.now + rules.lease };
    // Both are held in one step: what the account's budget does not concern any more is released.
    call.hold = undefined;
    return undefined;
  }

  #move(call: NaiveCall, endpoint: number): undefined {
    call.endpoint = endpoint;
  }

  #isSubject(): boolean {
    if (this.balance >= Number(rules.threshold)) return false;
    const old = this.now - this.createdAt >= rules.establishedAgeDays * day;
    return !(old && this.spent >= Number(rules.establishedSpend));
  }

  #wait(need: number): number {
    const inOrder = [...this.settling].sort((left, right) => left.releasedAt - right.releasedAt);
    let released = 0;
    for (const { amount, releasedAt } of inOrder) {
      released += amount;
      if (released >= need) return Math.ceil((releasedAt - this.now) / 1000);
    }
    return rules.settlementWindow / 1000;
  }
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

function minuteOf(time: number): number {
  return Math.floor(time / minute);
}

function dayName(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** The Monday on or before a moment, found by walking back. */
function mondayName(time: number): string {
  let moment = time;
  while (new Date(moment).getUTCDay() !== 1) moment -= day;
  return dayName(moment);
}
