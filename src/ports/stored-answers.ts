/** A part of an answer as it goes over the wire. */
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

/** Where whoever makes an answer puts it. */
export interface AnswerRecorder {
  write(piece: AnswerPiece): void;
  /** The answer is whole. Only one that is worth repeating is kept; who already reads it reads on either way. */
  end(keep: boolean): void;
}

/** What becomes of a request that names an idempotency key. */
export type Claim =
  /** Nobody had the key: the caller makes the answer and reads it like everybody else. */
  | {
      readonly outcome: 'first';
      readonly recorder: AnswerRecorder;
      readonly answer: AsyncIterable<AnswerPiece>;
    }
  /** The same request runs or ran: its answer from the start, then as it comes. */
  | { readonly outcome: 'known'; readonly answer: AsyncIterable<AnswerPiece> }
  /** The key was used for another request. */
  | { readonly outcome: 'conflict' };

/** Remembers answers by idempotency key, running ones and for a while finished ones, for all processes that share it. */
export interface StoredAnswers {
  /**
   * Claims a key in one atomic step.
   * @param key Tells accounts apart.
   * @param fingerprint Equal for equal requests.
   */
  claim(key: string, fingerprint: string): Promise<Claim>;
}
