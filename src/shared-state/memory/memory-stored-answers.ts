import type { Clock } from '../../ports/clock.ts';
import type { AnswerPiece, AnswerRecorder, Claim, StoredAnswers } from '../../ports/stored-answers.ts';
import { LinkedMap } from '../../util/linked-map.ts';
import type { RecordedAnswer } from '../recorded-answer.ts';
import { RunningAnswers } from '../running-answers.ts';

interface Entry {
  readonly fingerprint: string;
  readonly answer: RecordedAnswer;
}

interface FinishedEntry extends Entry {
  /** Milliseconds of the clock given. */
  readonly expiresAt: number;
}

/** Bounds of what is kept. */
export interface StoredAnswerLimits {
  /** Milliseconds a finished answer is kept. */
  readonly lifetime: number;
  /** UTF-16 units of all answers together, running ones and finished ones; the oldest finished ones go first. */
  readonly capacity: number;
}

/** Stores answers in this process. */
export class MemoryStoredAnswers implements StoredAnswers {
  readonly #clock: Clock;
  readonly #limits: StoredAnswerLimits;
  readonly #running = new LinkedMap<string, Entry>();
  readonly #finished = new LinkedMap<string, FinishedEntry>();
  readonly #answers: RunningAnswers;
  #kept = 0;

  constructor(clock: Clock, limits: StoredAnswerLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#answers = new RunningAnswers(limits.capacity, (units) => this.#dropTo(units));
  }

  async claim(key: string, fingerprint: string): Promise<Claim> {
    this.#dropTo(this.#limits.capacity);
    const known = this.#running.get(key) ?? this.#finished.get(key);
    if (known !== undefined) {
      if (known.fingerprint !== fingerprint) return { outcome: 'conflict' };
      return known.answer.isKept ? { outcome: 'known', answer: known.answer } : { outcome: 'full' };
    }
    if (this.#answers.isFull) return { outcome: 'full' };
    const entry: Entry = { fingerprint, answer: this.#answers.begin(() => undefined) };
    this.#running.set(key, entry);
    return { outcome: 'first', recorder: this.#recorderOf(key, entry), answer: entry.answer };
  }

  #recorderOf(key: string, entry: Entry): AnswerRecorder {
    const { answer } = entry;
    return {
      write: (piece: AnswerPiece) => answer.write(piece),
      end: (keep) => {
        answer.end();
        this.#running.delete(key);
        this.#answers.end(answer);
        if (!keep || !answer.isKept) return;
        this.#finished.set(key, { ...entry, expiresAt: this.#clock.now() + this.#limits.lifetime });
        this.#kept += answer.length;
        this.#dropTo(this.#limits.capacity);
      },
    };
  }

  /** Drops finished answers that have expired, and the oldest until the rest takes at most so many units. */
  #dropTo(units: number): number {
    const now = this.#clock.now();
    this.#finished.dropWhile(
      ({ expiresAt }) => expiresAt <= now || this.#kept > units,
      ({ answer }) => {
        this.#kept -= answer.length;
      },
    );
    return this.#kept;
  }
}
