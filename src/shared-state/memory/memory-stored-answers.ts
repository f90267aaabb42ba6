import type { Clock } from '../../ports/clock.ts';
import type { AnswerPiece, AnswerRecorder, Claim, StoredAnswers } from '../../ports/stored-answers.ts';
import { LinkedMap } from '../../util/linked-map.ts';
import { AnswerShares } from '../answer-shares.ts';
import { HeldAnswer } from '../held-answer.ts';

interface Entry {
  readonly fingerprint: string;
  readonly held: HeldAnswer;
}

interface EndedEntry extends Entry {
  /** Milliseconds of the clock given. */
  readonly expiresAt: number;
}

/** Bounds of what is kept. */
export interface StoredAnswerLimits {
  /** Milliseconds a finished answer is kept, and its key remembered. */
  readonly lifetime: number;
  /** Bytes of all answers together, running ones and finished ones, with what keeps them. */
  readonly capacity: number;
}

/** Stores answers in this process. */
export class MemoryStoredAnswers implements StoredAnswers {
  readonly #clock: Clock;
  readonly #lifetime: number;
  readonly #running = new LinkedMap<string, Entry>();
  /** Answers that are kept, and claims of those that are not. */
  readonly #ended = new LinkedMap<string, EndedEntry>();
  readonly #shares: AnswerShares;

  constructor(clock: Clock, { lifetime, capacity }: StoredAnswerLimits) {
    this.#clock = clock;
    this.#lifetime = lifetime;
    this.#shares = new AnswerShares(capacity);
  }

  async claim(key: string, fingerprint: string, account: string): Promise<Claim> {
    this.#dropExpired();
    const known = this.#running.get(key) ?? this.#ended.get(key);
    if (known !== undefined) {
      if (known.fingerprint !== fingerprint) return { outcome: 'conflict' };
      const { kept } = known.held;
      return kept === undefined ? { outcome: 'gone' } : { outcome: 'known', answer: kept };
    }
    const held = new HeldAnswer(this.#shares, { key, account });
    if (!held.isAdmitted) return { outcome: 'full' };
    const entry: Entry = { fingerprint, held };
    this.#running.set(key, entry);
    return { outcome: 'first', recorder: this.#recorderOf(key, entry), answer: held.running };
  }

  #recorderOf(key: string, entry: Entry): AnswerRecorder {
    const { held } = entry;
    return {
      write: (piece: AnswerPiece) => held.running.write(piece),
      end: (keep) => {
        this.#running.delete(key);
        if (held.end(keep) === 'free') return;
        this.#ended.set(key, { ...entry, expiresAt: this.#clock.now() + this.#lifetime });
      },
    };
  }

  #dropExpired(): void {
    const now = this.#clock.now();
    this.#ended.dropWhile(
      ({ expiresAt }) => expiresAt <= now,
      ({ held }) => held.release(),
    );
  }
}
