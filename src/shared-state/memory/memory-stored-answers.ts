import type { Clock } from '../../ports/clock.ts';
import type { AnswerPiece, AnswerRecorder, Claim, StoredAnswers } from '../../ports/stored-answers.ts';
import { LinkedMap } from '../../util/linked-map.ts';
import { RecordedAnswer } from '../recorded-answer.ts';

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
  /** UTF-16 units of all finished answers together; the oldest go first. */
  readonly capacity: number;
}

/** Remembers answers in this process. */
export class MemoryStoredAnswers implements StoredAnswers {
  readonly #clock: Clock;
  readonly #limits: StoredAnswerLimits;
  readonly #running = new LinkedMap<string, Entry>();
  readonly #finished = new LinkedMap<string, FinishedEntry>();
  #kept = 0;

  constructor(clock: Clock, limits: StoredAnswerLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  async claim(key: string, fingerprint: string): Promise<Claim> {
    this.#dropExpired();
    const known = this.#running.get(key) ?? this.#finished.get(key);
    if (known !== undefined) {
      if (known.fingerprint !== fingerprint) return { outcome: 'conflict' };
      return { outcome: 'known', answer: known.answer };
    }
    const entry: Entry = { fingerprint, answer: new RecordedAnswer() };
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
        if (!keep || answer.length > this.#limits.capacity) return;
        this.#finished.set(key, { ...entry, expiresAt: this.#clock.now() + this.#limits.lifetime });
        this.#kept += answer.length;
        this.#dropExpired();
      },
    };
  }

  #dropExpired(): void {
    const now = this.#clock.now();
    this.#finished.dropWhile(
      ({ expiresAt }) => expiresAt <= now || this.#kept > this.#limits.capacity,
      ({ answer }) => {
        this.#kept -= answer.length;
      },
    );
  }
}
