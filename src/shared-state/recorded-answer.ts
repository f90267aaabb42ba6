import type { AnswerPiece } from '../ports/stored-answers.ts';

/** UTF-16 units that the slowest reader may be behind before the maker of an answer that is not kept has to wait. */
const window = 64 * 1024;

interface Reader {
  /** Number of the piece it reads next. */
  next: number;
}

/**
 * An answer that any number of readers read from its start, while it is still being written. One that takes too much
 * memory stops being kept: what every reader has is dropped, nobody can join it, and its maker goes at the pace of the
 * slowest reader.
 */
export class RecordedAnswer implements AsyncIterable<AnswerPiece> {
  #pieces: AnswerPiece[] = [];
  /** Number of the first piece that is still there. */
  #first = 0;
  readonly #readers = new Set<Reader>();
  readonly #onChange: (units: number) => void;
  #isKept = true;
  #isRead = false;
  #ended = false;
  #wake = Promise.withResolvers<void>();
  #moved: PromiseWithResolvers<void> | undefined;
  #held = 0;

  /** @param onChange Called with the UTF-16 units that the answer takes more, or less where they are negative. */
  constructor(onChange: (units: number) => void = () => undefined) {
    this.#onChange = onChange;
  }

  /** UTF-16 units of the bodies it holds. */
  get length(): number {
    return this.#held;
  }

  /** Whether it is whole from its start, so that it can be joined and repeated. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /**
   * Adds a piece. The maker may go on when it resolves to true; false says that nobody reads the answer nor ever will.
   */
  write(piece: AnswerPiece): true | Promise<boolean> {
    this.#pieces.push(piece);
    this.#change(unitsOf(piece));
    this.#wakeReaders();
    return this.#isKept ? true : this.#untilRead();
  }

  end(): void {
    this.#ended = true;
    this.#wakeReaders();
  }

  /** Keeps only what readers still have to get from now on. */
  stopKeeping(): void {
    this.#isKept = false;
    this.#dropRead();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AnswerPiece> {
    const reader: Reader = { next: this.#first };
    this.#readers.add(reader);
    this.#isRead = true;
    try {
      for (;;) {
        while (reader.next >= this.#first + this.#pieces.length) {
          if (this.#ended) return;
          await this.#wake.promise;
        }
        const piece = this.#pieces[reader.next - this.#first];
        reader.next += 1;
        if (!this.#isKept) this.#dropRead();
        if (piece !== undefined) yield piece;
      }
    } finally {
      this.#readers.delete(reader);
      if (!this.#isKept) this.#dropRead();
    }
  }

  async #untilRead(): Promise<boolean> {
    while (this.#held > window && !this.#isLeft) {
      this.#moved ??= Promise.withResolvers<void>();
      await this.#moved.promise;
    }
    return !this.#isLeft;
  }

  /** Whether all readers have gone. */
  get #isLeft(): boolean {
    return this.#isRead && this.#readers.size === 0;
  }

  #dropRead(): void {
    const count = this.#countRead();
    if (count > 0) {
      const dropped = this.#pieces.slice(0, count);
      this.#pieces = this.#pieces.slice(count);
      this.#first += count;
      this.#change(-dropped.reduce((sum, piece) => sum + unitsOf(piece), 0));
    }
    this.#moved?.resolve();
    this.#moved = undefined;
  }

  /** How many pieces nobody needs any more. */
  #countRead(): number {
    if (this.#isLeft) return this.#pieces.length;
    if (this.#readers.size === 0) return 0;
    return Math.min(...[...this.#readers].map(({ next }) => next)) - this.#first;
  }

  #change(units: number): void {
    if (units === 0) return;
    this.#held += units;
    this.#onChange(units);
  }

  #wakeReaders(): void {
    const { resolve } = this.#wake;
    this.#wake = Promise.withResolvers<void>();
    resolve();
  }
}

function unitsOf(piece: AnswerPiece): number {
  return piece.kind === 'body' ? piece.text.length : 0;
}
