import { RecordedAnswer } from './recorded-answer.ts';

/** Limits the memory of the answers a process is making under idempotency keys. */
export class RunningAnswers {
  readonly #capacity: number;
  readonly #makeRoom: (units: number) => number;
  readonly #running = new Map<RecordedAnswer, () => void>();
  #held = 0;

  /**
   * @param capacity UTF-16 units of all answers together.
   * @param makeRoom Frees what else counts, given the units there are for it; returns what it still takes.
   */
  constructor(capacity: number, makeRoom: (units: number) => number) {
    this.#capacity = capacity;
    this.#makeRoom = makeRoom;
  }

  /** Whether no further answer can be recorded. */
  get isFull(): boolean {
    return this.#held >= this.#capacity;
  }

  /**
   * Begins an answer.
   * @param onNotKept Called when it takes too much memory to be kept.
   */
  begin(onNotKept: () => void): RecordedAnswer {
    const answer: RecordedAnswer = new RecordedAnswer((units) => {
      if (!this.#running.has(answer)) return;
      this.#held += units;
      if (units > 0) this.#fit();
    });
    this.#running.set(answer, onNotKept);
    return answer;
  }

  /** The answer is whole: it counts no more among those that run. */
  end(answer: RecordedAnswer): void {
    if (this.#running.delete(answer)) this.#held -= answer.length;
  }

  #fit(): void {
    if (this.#held + this.#makeRoom(this.#capacity - this.#held) <= this.#capacity) return;
    while (this.#held > this.#capacity) {
      const longest = this.#longestKept();
      // What is shorter than its share is not to blame.
      if (longest === undefined || longest.length * this.#running.size <= this.#capacity) return;
      longest.stopKeeping();
      this.#running.get(longest)?.();
    }
  }

  #longestKept(): RecordedAnswer | undefined {
    let longest: RecordedAnswer | undefined;
    for (const answer of this.#running.keys()) {
      if (answer.isKept && answer.length > (longest?.length ?? 0)) longest = answer;
    }
    return longest;
  }
}
