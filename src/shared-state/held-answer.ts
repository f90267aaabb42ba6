import type { AnswerShares, Holding, Keeper } from './answer-shares.ts';
import { RecordedAnswer, readerWindow } from './recorded-answer.ts';

/** Bytes of a claim beside its key, whatever becomes of its answer. */
export const claimBytes = 448;
/** Bytes of what keeps a whole answer, beside its pieces. */
const keeperBytes = 1024;
/** Bytes of what makes an answer, beside its pieces, and of what its reader may be behind. */
const makerBytes = 4 * 1024 + readerWindow;

/** What became of an answer that is over. `gone`: it was charged and cannot be read again; `free`: its key is as if never used. */
export type AnswerEnd = 'kept' | 'gone' | 'free';

/** A claim that an answer is made for. */
export interface HeldClaim {
  readonly key: string;
  readonly account: string;
  /** Called when it stops being kept, perhaps while it runs. */
  readonly onGone?: () => void;
}

/**
 * An answer under an idempotency key within the share of its account. When there is too little memory it stops being
 * kept; when that is not enough, it is broken off for readers who are too slow.
 */
export class HeldAnswer implements Keeper {
  /** Undefined once it is gone and nobody reads it: then its claim alone is remembered. */
  #answer: RecordedAnswer | undefined;
  readonly #holding: Holding | undefined;
  readonly #claim: number;
  readonly #onGone: (() => void) | undefined;
  #isRunning = true;
  #isReleased = false;

  constructor(shares: AnswerShares, { key, account, onGone }: HeldClaim) {
    this.#answer = new RecordedAnswer(() => this.#count());
    this.#onGone = onGone;
    this.#claim = claimBytes + key.length;
    this.#holding = shares.enter(account, this.#claim + makerBytes, this);
  }

  /** Whether there was room for it. */
  get isAdmitted(): boolean {
    return this.#holding !== undefined;
  }

  /** The answer while it can be read from its start. */
  get kept(): RecordedAnswer | undefined {
    return this.#answer?.isKept === true ? this.#answer : undefined;
  }

  /** The answer as its maker and its first reader have it. */
  get running(): RecordedAnswer {
    if (this.#answer === undefined) throw new Error('The answer is over.');
    return this.#answer;
  }

  /** The answer is over. @param keep Whether it is worth repeating. */
  end(keep: boolean): AnswerEnd {
    const answer = this.running;
    answer.end();
    this.#isRunning = false;
    const isFree = !keep && !answer.isGivenUp;
    if (isFree) this.release();
    else this.#count();
    if (isFree) return 'free';
    return answer.isKept ? 'kept' : 'gone';
  }

  /** No request joins it any more; who reads it reads on. */
  release(): void {
    this.#isReleased = true;
    this.#count();
    // Who has just joined it begins to read before.
    setImmediate(() => this.#stopKeeping());
  }

  giveUp(): void {
    if (this.#answer?.isKept === true) {
      this.#stopKeeping();
      if (!this.#isReleased) this.#onGone?.();
    } else this.#answer?.cutOff();
  }

  #stopKeeping(): void {
    this.#answer?.stopKeeping();
    this.#count();
  }

  #count(): void {
    const answer = this.#answer;
    const { held = 0, isKept = false, isBeingRead = false } = answer ?? {};
    const fixed = (this.#isReleased ? 0 : this.#claim) + (this.#isRunning ? makerBytes : 0);
    if (this.#isReleased && !isBeingRead) this.#holding?.leave();
    else if (isKept) this.#holding?.set(fixed, held + keeperBytes, this.#isReleased);
    // What its reader may be behind counts already while it runs.
    else this.#holding?.set(fixed, this.#isRunning ? Math.max(0, held - readerWindow) : held, true);
    if (!this.#isRunning && !isKept && held === 0) this.#answer = undefined;
  }
}
