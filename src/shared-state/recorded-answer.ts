import type { AnswerPiece } from '../ports/stored-answers.ts';

/** An answer that any number of readers read from its start, while it is still being written. */
export class RecordedAnswer implements AsyncIterable<AnswerPiece> {
  readonly #pieces: AnswerPiece[] = [];
  #ended = false;
  #wake = Promise.withResolvers<void>();
  #length = 0;

  /** UTF-16 units of its bodies. */
  get length(): number {
    return this.#length;
  }

  write(piece: AnswerPiece): void {
    this.#pieces.push(piece);
    if (piece.kind === 'body') this.#length += piece.text.length;
    this.#wakeReaders();
  }

  end(): void {
    this.#ended = true;
    this.#wakeReaders();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AnswerPiece> {
    for (let next = 0; ; next++) {
      while (next >= this.#pieces.length) {
        if (this.#ended) return;
        await this.#wake.promise;
      }
      const piece = this.#pieces[next];
      if (piece !== undefined) yield piece;
    }
  }

  #wakeReaders(): void {
    const { resolve } = this.#wake;
    this.#wake = Promise.withResolvers<void>();
    resolve();
  }
}
