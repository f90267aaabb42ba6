import { HeadgateError } from '../../core/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RateClaim, RateLimits, RateMetric, RateOutcome } from '../../ports/rate-limits.ts';
import {
  claimScript,
  lookScript,
  rateKeys,
  renewRatesScript,
  settleRatesScript,
  withdrawScript,
} from './rate-limit-scripts.ts';
import type { RedisConnection } from './redis-connection.ts';
import type { Script } from './script.ts';

/** The parts behind rate limits in Redis. */
export interface RateLimitParts {
  readonly run: RedisConnection['run'];
  /** Decides while Redis is unavailable; undefined: limited requests are refused. */
  readonly local: RateLimits | undefined;
  /** Replaces the server's clock where tests set the time. */
  readonly clock?: Clock;
}

/** A claim that Redis does not know was counted in this process; its second is negative. */
const countedHere = -1;

/** Counts rates in Redis: one script for each call and home, by the server's clock. */
export class RedisRateLimits implements RateLimits {
  readonly #parts: RateLimitParts;

  constructor(parts: RateLimitParts) {
    this.#parts = parts;
  }

  async claim(home: string, claim: RateClaim): Promise<RateOutcome> {
    try {
      return await this.#ask(claimScript, home, claim);
    } catch (failure) {
      if (this.#parts.local === undefined) throw failure;
      const outcome = await this.#parts.local.claim(home, claim);
      return outcome.admitted ? { admitted: true, second: countedHere - outcome.second } : outcome;
    }
  }

  async look(home: string, claim: RateClaim): Promise<RateOutcome> {
    try {
      return await this.#ask(lookScript, home, claim);
    } catch (failure) {
      if (this.#parts.local === undefined) throw failure;
      return this.#parts.local.look(home, claim);
    }
  }

  async withdraw(home: string, claim: RateClaim, second: number): Promise<void> {
    if (second < 0) {
      await this.#parts.local?.withdraw(home, claim, countedHere - second);
      return;
    }
    const keys = claim.subjects.flatMap((subject) => rateKeys(home, subject));
    await this.#parts.run(withdrawScript, keys, this.#args([claim.requestId, claim.tokens, second]));
  }

  async settle(home: string, claim: RateClaim, second: number, tokens: number): Promise<void> {
    if (second < 0) {
      await this.#parts.local?.settle(home, claim, countedHere - second, tokens);
      return;
    }
    const keys = claim.subjects.flatMap((subject) => rateKeys(home, subject));
    const args = this.#args([claim.requestId, tokens - claim.tokens, second]);
    await this.#parts.run(settleRatesScript, keys, args);
  }

  async renew(home: string, claims: readonly RateClaim[]): Promise<void> {
    const running = claims.flatMap((claim) =>
      claim.subjects.flatMap((subject) => {
        const [, , key] = rateKeys(home, subject);
        return key === undefined || subject.parallel === undefined ? [] : [{ key, claim }];
      }),
    );
    const [first] = running;
    if (first === undefined) return;
    await this.#parts.local?.renew(home, claims);
    const requests = running.map(({ claim }) => claim.requestId);
    await this.#parts.run(
      renewRatesScript,
      running.map(({ key }) => key),
      this.#args([first.claim.lease, ...requests]),
    );
  }

  async #ask(script: Script, home: string, claim: RateClaim): Promise<RateOutcome> {
    const { subjects, requestId, tokens, lease } = claim;
    const limits = subjects.flatMap(({ requestsPerMinute = '', tokensPerMinute = '', parallel = '' }) => [
      requestsPerMinute,
      tokensPerMinute,
      parallel,
    ]);
    const keys = subjects.flatMap((subject) => rateKeys(home, subject));
    const reply = await this.#parts.run(script, keys, this.#args([requestId, tokens, lease, ...limits]));
    if (!Array.isArray(reply)) throw new HeadgateError('service_unavailable');
    if (reply[0] === 'admitted') return { admitted: true, second: Number(reply[1]) };
    const [, subject, metric, limit, used, fits] = reply;
    return {
      admitted: false,
      subject: subjects[Number(subject)]?.kind ?? 'account',
      metric: metric as RateMetric,
      limit: Number(limit),
      used: Number(used),
      fitsAt: fits === -1 ? undefined : Number(fits),
    };
  }

  #args(values: readonly (string | number)[]): readonly string[] {
    const now = this.#parts.clock === undefined ? '' : String(this.#parts.clock.now());
    return [now, ...values.map(String)];
  }
}
