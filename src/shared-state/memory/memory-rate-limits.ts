import type { Clock } from '../../ports/clock.ts';
import type { RateClaim, RateLimits, RateMetric, RateOutcome, RateSubject } from '../../ports/rate-limits.ts';
import { LinkedMap } from '../../util/linked-map.ts';

/** Subjects that are remembered; the ones without a claim for longest are forgotten first. About 100 MB. */
const mostSubjects = 50_000;

interface Counted {
  readonly requests: RollingMinute;
  readonly tokens: RollingMinute;
  /** Running requests with the end of their lease, Unix milliseconds. */
  readonly running: Map<string, number>;
}

type Refusal = Extract<RateOutcome, { admitted: false }>;

/** Counts rates in the memory of this process. */
export class MemoryRateLimits implements RateLimits {
  readonly #clock: Clock;
  readonly #subjects = new LinkedMap<string, Counted>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async claim(home: string, claim: RateClaim): Promise<RateOutcome> {
    const now = this.#clock.now();
    const outcome = this.#decide(home, claim, now);
    if (!outcome.admitted) return outcome;
    const { second } = outcome;
    for (const subject of claim.subjects) {
      const counted = this.#counted(home, subject);
      counted.requests.add(second, 1, second);
      counted.tokens.add(second, claim.tokens, second);
      if (subject.parallel !== undefined) counted.running.set(claim.requestId, now + claim.lease);
    }
    return outcome;
  }

  async look(home: string, claim: RateClaim): Promise<RateOutcome> {
    return this.#decide(home, claim, this.#clock.now());
  }

  async withdraw(home: string, claim: RateClaim, second: number): Promise<void> {
    const now = Math.floor(this.#clock.now() / 1000);
    for (const subject of claim.subjects) {
      const counted = this.#subjects.get(nameOf(home, subject));
      counted?.running.delete(claim.requestId);
      counted?.requests.add(second, -1, now);
      counted?.tokens.add(second, -claim.tokens, now);
    }
  }

  async settle(home: string, claim: RateClaim, second: number, tokens: number): Promise<void> {
    const now = Math.floor(this.#clock.now() / 1000);
    const rest = tokens - claim.tokens;
    for (const subject of claim.subjects) {
      const counted = this.#subjects.get(nameOf(home, subject));
      counted?.running.delete(claim.requestId);
      if (rest !== 0) counted?.tokens.add(rest > 0 ? now : second, rest, now);
    }
  }

  async renew(home: string, claims: readonly RateClaim[]): Promise<void> {
    const now = this.#clock.now();
    for (const { subjects, requestId, lease } of claims) {
      for (const subject of subjects) {
        const running = this.#subjects.get(nameOf(home, subject))?.running;
        if (running?.has(requestId)) running.set(requestId, now + lease);
      }
    }
  }

  #decide(home: string, claim: RateClaim, now: number): RateOutcome {
    let refusal: Refusal | undefined;
    for (const subject of claim.subjects) {
      for (const found of this.#judge(home, subject, claim, now)) refusal = later(refusal, found);
    }
    return refusal ?? { admitted: true, second: Math.floor(now / 1000) };
  }

  #judge(home: string, subject: RateSubject, { tokens }: RateClaim, now: number): readonly Refusal[] {
    const { kind, requestsPerMinute, tokensPerMinute, parallel } = subject;
    const counted = this.#counted(home, subject);
    const second = Math.floor(now / 1000);
    const refusals: Refusal[] = [];
    const check = (metric: RateMetric, minute: RollingMinute, amount: number, limit: number | undefined) => {
      if (limit === undefined) return;
      const used = minute.total(second);
      if (used + amount <= limit) return;
      const fits = minute.fitsAt(amount, limit, second);
      const fitsAt = fits === undefined ? undefined : Math.max(fits * 1000, now);
      refusals.push({ admitted: false, subject: kind, metric, limit, used, fitsAt });
    };
    check('requests', counted.requests, 1, requestsPerMinute);
    check('tokens', counted.tokens, tokens, tokensPerMinute);
    if (parallel !== undefined) {
      for (const [requestId, end] of counted.running) if (end <= now) counted.running.delete(requestId);
      const used = counted.running.size;
      const fitsAt = now + 1000;
      if (used >= parallel) {
        refusals.push({ admitted: false, subject: kind, metric: 'parallel', limit: parallel, used, fitsAt });
      }
    }
    return refusals;
  }

  #counted(home: string, subject: RateSubject): Counted {
    const name = nameOf(home, subject);
    const known = this.#subjects.get(name);
    if (known !== undefined) {
      // The newest one again, so that those in use are not forgotten.
      this.#subjects.set(name, known);
      return known;
    }
    const fresh = { requests: new RollingMinute(), tokens: new RollingMinute(), running: new Map() };
    this.#subjects.set(name, fresh);
    const { oldest } = this.#subjects;
    if (this.#subjects.size > mostSubjects && oldest !== undefined) this.#subjects.delete(oldest[0]);
    return fresh;
  }
}

function nameOf(home: string, { kind, id }: RateSubject): string {
  return `${home} ${kind} ${id}`;
}

/** The refusal whose limit frees last. */
function later(one: Refusal | undefined, other: Refusal): Refusal {
  const end = ({ fitsAt }: Refusal) => fitsAt ?? Number.POSITIVE_INFINITY;
  return one === undefined || end(other) > end(one) ? other : one;
}

/** Seconds that count: the current one, which is not over, and 60 before it. */
const seconds = 61;

/** A count over the last minute, in whole seconds. */
class RollingMinute {
  readonly #counts = new Float64Array(seconds);
  #latest = 0;
  #total = 0;

  /** Everything counted in the minute that ends with this second. */
  total(second: number): number {
    this.#moveTo(second);
    return this.#total;
  }

  /**
   * Adds to a second, or takes away. A second outside the minute is no longer counted; nothing falls below zero.
   * @param now The current second.
   */
  add(second: number, amount: number, now: number): void {
    this.#moveTo(now);
    if (second <= this.#latest - seconds) return;
    const place = Math.min(second, this.#latest) % seconds;
    const before = this.#counts[place] ?? 0;
    const after = Math.max(0, before + amount);
    this.#counts[place] = after;
    this.#total += after - before;
  }

  /**
   * The first second in which `amount` more fits below `limit`.
   * Undefined when it never does, because it exceeds the limit by itself.
   */
  fitsAt(amount: number, limit: number, now: number): number | undefined {
    if (amount > limit) return undefined;
    this.#moveTo(now);
    let rest = this.#total;
    for (let second = this.#latest - seconds + 1; second <= this.#latest; second += 1) {
      if (rest + amount <= limit) return Math.max(now, second + seconds - 1);
      rest -= this.#counts[second % seconds] ?? 0;
    }
    return this.#latest + seconds;
  }

  /** A clock that goes back leaves the counts in place. */
  #moveTo(second: number): void {
    if (second <= this.#latest) return;
    const passed = Math.min(second - this.#latest, seconds);
    for (let gone = 1; gone <= passed; gone += 1) {
      const place = (this.#latest + gone) % seconds;
      this.#total -= this.#counts[place] ?? 0;
      this.#counts[place] = 0;
    }
    this.#latest = second;
  }
}
