import type { Clock } from '../../ports/clock.ts';
import type { AnswerPiece, AnswerRecorder, Claim, StoredAnswers } from '../../ports/stored-answers.ts';
import { RecordedAnswer } from '../recorded-answer.ts';

interface Entry {
  readonly fingerprint: string;
  readonly answer: RecordedAnswer;
  /** Unix milliseconds; undefined while the answer is being made. */
  expiresAt: number | undefined;
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
  /** Finished entries stand in the order they finished, behind each other. */
  readonly #entries = new Map<string, Entry>();
  #kept = 0;

  constructor(clock: Clock, limits: StoredAnswerLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  async claim(key: string, fingerprint: string): Promise<Claim> {
    this.#dropExpired();
    const known = this.#entries.get(key);
    if (known !== undefined) {
      if (known.fingerprint !== fingerprint) return { outcome: 'conflict' };
      return { outcome: 'known', answer: known.answer };
    }
    const entry: Entry = { fingerprint, answer: new RecordedAnswer(), expiresAt: undefined };
    this.#entries.set(key, entry);
    return { outcome: 'first', recorder: this.#recorderOf(key, entry), answer: entry.answer };
  }

  #recorderOf(key: string, entry: Entry): AnswerRecorder {
    const { answer } = entry;
    return {
      write: (piece: AnswerPiece) => answer.write(piece),
      end: (keep) => {
        answer.end();
        this.#entries.delete(key);
        if (!keep || answer.length > this.#limits.capacity) return;
        entry.expiresAt = this.#clock.now() + this.#limits.lifetime;
        this.#entries.set(key, entry);
        this.#kept += answer.length;
        this.#dropExpired();
      },
    };
  }

  #dropExpired(): void {
    const now = this.#clock.now();
    for (const [key, { expiresAt, answer }] of this.#entries) {
      if (expiresAt === undefined) continue;
      if (expiresAt > now && this.#kept <= this.#limits.capacity) return;
      this.#entries.delete(key);
      this.#kept -= answer.length;
    }
  }
}
