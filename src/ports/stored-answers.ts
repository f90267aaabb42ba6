/** A part of an answer in its wire form. */
export type AnswerPiece =
  | {
      /** Comes first, and only where the request was answered. */
      readonly kind: 'head';
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'body'; readonly text: string }
  | {
      /** Comes alone: the request was refused. */
      readonly kind: 'refusal';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
      /** The same for a reader whose stream has begun with comments. */
      readonly inStream: string;
    };

/** Records an answer while it is made. */
export interface AnswerRecorder {
  /**
   * Adds a piece. The maker goes on when it is true or resolves to true. False: the answer takes too much memory to be
   * kept, and nobody reads it, so the maker may stop.
   */
  write(piece: AnswerPiece): true | Promise<boolean>;
  /**
   * Marks the answer as complete. Only one worth repeating is kept; current readers get the rest either way.
   */
  end(keep: boolean): void;
}

/** The result of claiming an idempotency key. */
export type Claim =
  /** The key was free: the caller makes the answer and begins at once to read it, like all others. */
  | {
      readonly outcome: 'first';
      readonly recorder: AnswerRecorder;
      readonly answer: AsyncIterable<AnswerPiece>;
    }
  /** The same request is running or has run: its answer from the start, then as it comes. */
  | { readonly outcome: 'known'; readonly answer: AsyncIterable<AnswerPiece> }
  /** Answers take all the memory there is for them; try again later. */
  | { readonly outcome: 'full' }
  /** The same request was charged, and its answer takes too much memory to be kept. */
  | { readonly outcome: 'gone' }
  /** The key was used for another request. */
  | { readonly outcome: 'conflict' };

/**
 * Stores answers by idempotency key, running ones and for a while finished ones, for all processes that share it. Memory
 * is shared out by account; an answer that finds no room is not made a second time within its lifetime.
 */
export interface StoredAnswers {
  /**
   * Claims a key atomically.
   * @param key Distinguishes accounts.
   * @param fingerprint Equal for equal requests.
   * @param account Whose share of the memory the answer takes.
   */
  claim(key: string, fingerprint: string, account: string): Promise<Claim>;
}
