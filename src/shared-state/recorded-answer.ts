import { HeadgateError } from '../core/errors.ts';
import type { AnswerPiece } from '../ports/stored-answers.ts';

/** Bytes that the slowest reader may be behind before the maker of an answer that is not kept has to wait. */
export const readerWindow = 16 * 1024;

/** Bytes of a piece beside its text: the object, the head of the text, and its places in lists. */
const pieceBytes = 112;

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
  /** Undefined where everyone has read it. */
  #pieces: (AnswerPiece | undefined)[] = [];
  /** Number of the first place in the list. */
  #start = 0;
  /** Number of the first piece that is still there. */
  #first = 0;
  readonly #readers = new Set<Reader>();
  readonly #onChange: () => void;
  #isKept = true;
  #isRead = false;
  #isGivenUp = false;
  #isCutOff = false;
  #ended = false;
  #wake = Promise.withResolvers<void>();
  #moved: PromiseWithResolvers<void> | undefined;
  #held = 0;

  /** @param onChange Called when the answer takes more or fewer bytes. */
  constructor(onChange: () => void = () => undefined) {
    this.#onChange = onChange;
  }

  /** Bytes of the pieces it holds. */
  get held(): number {
    return this.#held;
  }

  /** Whether it is whole from its start, so that it can be joined and repeated. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** Whether somebody reads it at this moment. */
  get isBeingRead(): boolean {
    return this.#readers.size > 0;
  }

  /** Whether its maker was told to stop because nobody reads it. */
  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  /**
   * Adds a piece. The maker may go on when it resolves to true; false says that nobody reads the answer nor ever will.
   */
  write(piece: AnswerPiece): true | Promise<boolean> {
    this.#pieces.push(piece);
    this.#wakeReaders();
    this.#change(bytesOf(piece));
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

  /** Breaks the answer off for its readers, who are too slow for the memory there is. */
  cutOff(): void {
    this.#isKept = false;
    this.#isCutOff = true;
    this.#isRead = true;
    this.#readers.clear();
    this.#wakeReaders();
    this.#dropRead();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AnswerPiece> {
    // Its beginning is gone: who reads the rest would take it for a whole answer.
    if (this.#first > 0) throw tooSlow();
    const reader: Reader = { next: 0 };
    this.#readers.add(reader);
    this.#isRead = true;
    try {
      for (;;) {
        while (reader.next >= this.#start + this.#pieces.length && !this.#isCutOff) {
          if (this.#ended) return;
          await this.#wake.promise;
        }
        if (this.#isCutOff) throw tooSlow();
        const piece = this.#pieces[reader.next - this.#start];
        reader.next += 1;
        if (!this.#isKept) this.#dropRead();
        if (piece !== undefined) yield piece;
      }
    } finally {
      this.#readers.delete(reader);
      if (!this.#isKept) this.#dropRead();
      this.#onChange();
    }
  }

  async #untilRead(): Promise<boolean> {
    while (this.#held > readerWindow && !this.#isLeft) {
      this.#moved ??= Promise.withResolvers<void>();
      await this.#moved.promise;
    }
    this.#isGivenUp ||= this.#isLeft;
    return !this.#isLeft;
  }

  /** Whether all readers have gone. */
  get #isLeft(): boolean {
    return this.#isRead && this.#readers.size === 0;
  }

  #dropRead(): void {
    const upTo = this.#firstNeeded();
    let dropped = 0;
    for (; this.#first < upTo; this.#first += 1) {
      const at = this.#first - this.#start;
      const piece = this.#pieces[at];
      this.#pieces[at] = undefined;
      if (piece !== undefined) dropped += bytesOf(piece);
    }
    const gone = this.#first - this.#start;
    if (gone * 2 > this.#pieces.length) {
      this.#pieces = this.#pieces.slice(gone);
      this.#start = this.#first;
    }
    this.#moved?.resolve();
    this.#moved = undefined;
    this.#change(-dropped);
  }

  /** Number of the first piece that a reader needs still. */
  #firstNeeded(): number {
    const end = this.#start + this.#pieces.length;
    if (this.#isLeft || (this.#ended && this.#readers.size === 0)) return end;
    if (this.#readers.size === 0) return this.#first;
    let first = end;
    for (const { next } of this.#readers) first = Math.min(first, next);
    return first;
  }

  #change(bytes: number): void {
    if (bytes === 0) return;
    this.#held += bytes;
    this.#onChange();
  }

  #wakeReaders(): void {
    const { resolve } = this.#wake;
    this.#wake = Promise.withResolvers<void>();
    resolve();
  }
}

/** Bytes of memory that a piece takes. */
function bytesOf(piece: AnswerPiece): number {
  if (piece.kind === 'body') return pieceBytes + bytesOfText(piece.text);
  const headers = Object.entries(piece.headers).flat();
  const texts = piece.kind === 'refusal' ? [...headers, piece.body, piece.inStream] : headers;
  return texts.reduce((sum, text) => sum + pieceBytes + bytesOfText(text), pieceBytes);
}

/** A text is kept as one byte a character while none is beyond Latin-1, else as two. */
function bytesOfText(text: string): number {
  return /^[\0-\xff]*$/.test(text) ? text.length : text.length * 2;
}

function tooSlow(): HeadgateError {
  return new HeadgateError(
    'service_unavailable',
    'The answer was read too slowly for the memory this server has for answers under an Idempotency-Key.',
  );
}
