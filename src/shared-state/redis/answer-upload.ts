import type { AnswerPiece } from '../../ports/stored-answers.ts';
import { encodePiece, endOfAnswer } from './answer-pieces.ts';
import type { RedisConnection } from './redis-connection.ts';
import { appendScript, storedAnswerKeys } from './stored-answer-scripts.ts';

/** Milliseconds for which current readers can read the rest of a complete answer. */
const lingering = 120_000;
/** Delay before a failed command is sent again. */
const retryDelay = 500;
/** Limits of one command: pieces, and UTF-16 units unless a single piece is larger. */
const maxPieces = 200;
const maxText = 1_000_000;

/** The attempt whose answer is sent to other processes. */
export interface Attempt {
  readonly key: string;
  readonly fingerprint: string;
  readonly attempt: string;
}

/**
 * Uploads an answer for other processes while it is made: one command at a time, with everything that has come
 * meanwhile. A failed command is repeated, and a Redis that lost its data gets everything again, until another
 * attempt has the key.
 */
export class AnswerUpload {
  readonly #run: RedisConnection['run'];
  readonly #attempt: Attempt;
  readonly #lease: number;
  /** As they came: encoded, each would be in memory twice. Undefined is the end. */
  readonly #pieces: (AnswerPiece | undefined)[] = [];
  readonly #finished = Promise.withResolvers<void>();
  #sent = 0;
  #keepFor: number | undefined;
  #sending = false;
  #retry: NodeJS.Timeout | undefined;
  #over = false;

  /** @param lease Milliseconds after which the claim expires unless it is renewed. */
  constructor(run: RedisConnection['run'], attempt: Attempt, lease: number) {
    this.#run = run;
    this.#attempt = attempt;
    this.#lease = lease;
  }

  /** Resolves when other processes have the complete answer or will never have it. */
  get finished(): Promise<void> {
    return this.#finished.promise;
  }

  write(piece: AnswerPiece): void {
    if (this.#over) return;
    this.#pieces.push(piece);
    void this.#send(false);
  }

  /** @param keepFor Milliseconds; zero: only for current readers. */
  end(keepFor: number): void {
    if (this.#over) return;
    this.#pieces.push(undefined);
    this.#keepFor = keepFor;
    void this.#send(false);
  }

  /** Renews the claim, and sends whatever Redis does not have. */
  renew(): Promise<void> {
    return this.#send(true);
  }

  /** Stops uploading: others have everything, or are not to have it. */
  close(): void {
    this.#over = true;
    this.#pieces.length = 0;
    this.#finished.resolve();
  }

  async #send(evenNothing: boolean): Promise<void> {
    if (this.#sending || this.#over) return;
    this.#sending = true;
    clearTimeout(this.#retry);
    try {
      if (evenNothing) await this.#append();
      while (!this.#over && (this.#sent < this.#pieces.length || this.#keepFor !== undefined))
        await this.#append();
    } catch {
      this.#retry = setTimeout(() => void this.#send(false), retryDelay).unref();
    } finally {
      this.#sending = false;
    }
  }

  async #append(): Promise<void> {
    const batch = this.#nextBatch();
    const from = this.#sent;
    const last = this.#keepFor !== undefined && from + batch.length === this.#pieces.length;
    const { key, fingerprint, attempt } = this.#attempt;
    const keepFor = this.#keepFor ?? 0;
    const length = Number(
      await this.#run(appendScript, storedAnswerKeys(key, attempt), [
        fingerprint,
        attempt,
        String(this.#lease),
        ...(last ? [String(keepFor), String(keepFor + lingering)] : ['', '']),
        String(from),
        ...batch,
      ]),
    );
    // An unexpected length: an earlier command had an effect after all, or Redis lost data.
    this.#sent = Math.min(length, this.#pieces.length);
    const isComplete = last && length === from + batch.length;
    if (length < 0 || isComplete) this.close();
  }

  #nextBatch(): readonly string[] {
    const batch: string[] = [];
    let text = 0;
    for (let at = this.#sent; at < this.#pieces.length && batch.length < maxPieces; at += 1) {
      const piece = this.#pieces[at];
      const encoded = piece === undefined ? endOfAnswer : encodePiece(piece);
      text += encoded.length;
      if (text > maxText && batch.length > 0) break;
      batch.push(encoded);
    }
    return batch;
  }
}
