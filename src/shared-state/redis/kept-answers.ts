import { LinkedMap } from '../../util/linked-map.ts';
import { AnswerShares, type Holding, type Keeper } from '../answer-shares.ts';
import { type AnswerEnd, claimBytes } from '../held-answer.ts';
import type { Attempt } from './answer-upload.ts';
import type { RedisConnection } from './redis-connection.ts';
import { goneScript, storedAnswerKeys } from './stored-answer-scripts.ts';

/** What an answer takes in Redis. */
interface KeptAnswer extends Keeper {
  readonly attempt: Attempt;
  holding: Holding | undefined;
  /** Milliseconds of the monotonic clock; undefined while it is made. */
  until: number | undefined;
}

/** Bounds what one process has in Redis: whole answers, and claims of those that are kept no more. */
export class KeptAnswers {
  readonly #run: RedisConnection['run'];
  readonly #lifetime: number;
  readonly #shares: AnswerShares;
  readonly #making = new Map<string, KeptAnswer>();
  readonly #ended = new LinkedMap<string, KeptAnswer>();
  /** Of which Redis does not know yet that they are gone. */
  readonly #unmarked = new Map<string, KeptAnswer>();

  constructor(
    run: RedisConnection['run'],
    { lifetime, capacity }: { readonly lifetime: number; readonly capacity: number },
  ) {
    this.#run = run;
    this.#lifetime = lifetime;
    this.#shares = new AnswerShares(capacity);
  }

  /** Takes room for a claim. False when there is none. */
  enter({ account, ...attempt }: Attempt & { readonly account: string }): boolean {
    this.#dropExpired();
    const kept: KeptAnswer = {
      attempt,
      holding: undefined,
      until: undefined,
      giveUp: () => this.#giveUp(kept),
    };
    kept.holding = this.#shares.enter(account, bytesOfClaim(attempt), kept);
    if (kept.holding !== undefined) this.#making.set(attempt.attempt, kept);
    return kept.holding !== undefined;
  }

  /** An answer is over. @param bytes What it takes if it is kept. */
  end(attempt: string, end: AnswerEnd, bytes: number): void {
    const kept = this.#making.get(attempt);
    if (kept === undefined) return;
    this.#making.delete(attempt);
    if (end === 'free') {
      this.#unmarked.delete(attempt);
      kept.holding?.leave();
      return;
    }
    kept.until = performance.now() + this.#lifetime;
    this.#ended.set(attempt, kept);
    if (end === 'kept') kept.holding?.set(bytesOfClaim(kept.attempt), bytes, false);
  }

  /** An answer is kept no more, though it may still be made. */
  markGone(attempt: string): void {
    const kept = this.#making.get(attempt) ?? this.#ended.get(attempt);
    if (kept !== undefined) this.#giveUp(kept);
  }

  /** Repeats what Redis has missed. */
  renew(): void {
    this.#dropExpired();
    for (const kept of this.#unmarked.values()) void this.#mark(kept);
  }

  #giveUp(kept: KeptAnswer): void {
    kept.holding?.set(bytesOfClaim(kept.attempt), 0, false);
    this.#unmarked.set(kept.attempt.attempt, kept);
    void this.#mark(kept);
  }

  async #mark({ attempt: { key, fingerprint, attempt }, until }: KeptAnswer): Promise<void> {
    const left = until === undefined ? this.#lifetime : Math.ceil(until - performance.now());
    const args = [attempt, fingerprint, String(Math.max(1, left))];
    try {
      await this.#run(goneScript, storedAnswerKeys(key, attempt), args);
      this.#unmarked.delete(attempt);
    } catch {
      // The next renewal tries again.
    }
  }

  #dropExpired(): void {
    const now = performance.now();
    this.#ended.dropWhile(
      ({ until = now }) => until <= now,
      ({ attempt, holding }) => {
        this.#unmarked.delete(attempt.attempt);
        holding?.leave();
      },
    );
  }
}

function bytesOfClaim({ key }: Attempt): number {
  return claimBytes + key.length;
}
