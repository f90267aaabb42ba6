import {
  type CachedAnswer,
  type CachedAnswerLimits,
  type CachedAnswers,
  cachedAnswerLimits,
} from '../../ports/cached-answers.ts';
import type { Clock } from '../../ports/clock.ts';
import { LinkedMap } from '../../util/linked-map.ts';

/** Keeps answers in this process; what was read longest ago goes first. */
export class MemoryCachedAnswers implements CachedAnswers {
  readonly #clock: Clock;
  readonly #limits: CachedAnswerLimits;
  readonly #answers = new LinkedMap<string, CachedAnswer>();
  #kept = 0;

  constructor(clock: Clock, limits: CachedAnswerLimits = cachedAnswerLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Characters kept at this moment. */
  get size(): number {
    return this.#kept;
  }

  async find(key: string): Promise<CachedAnswer | undefined> {
    const found = this.#answers.get(key);
    if (found === undefined) return undefined;
    if (found.expiresAt <= this.#clock.now()) {
      await this.forget(key);
      return undefined;
    }
    this.#answers.set(key, found);
    return found;
  }

  async keep(key: string, answer: CachedAnswer): Promise<void> {
    await this.forget(key);
    const { length } = answer.sealed;
    if (length > this.#limits.entry) return;
    this.#answers.set(key, answer);
    this.#kept += length;
    this.#answers.dropWhile(
      () => this.#kept > this.#limits.total,
      ({ sealed }) => {
        this.#kept -= sealed.length;
      },
    );
  }

  async forget(key: string): Promise<void> {
    const found = this.#answers.get(key);
    if (found === undefined) return;
    this.#kept -= found.sealed.length;
    this.#answers.delete(key);
  }
}
