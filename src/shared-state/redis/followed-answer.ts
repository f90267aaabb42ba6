import { HeadgateError } from '../../core/errors.ts';
import type { AnswerPiece } from '../../ports/stored-answers.ts';
import { decodePiece, endOfAnswer } from './answer-pieces.ts';
import type { RedisConnection } from './redis-connection.ts';
import { readScript, storedAnswerKeys } from './stored-answer-scripts.ts';

/** Pieces in one read: a slow reader buffers no more. */
const readTogether = 64;
/** Milliseconds after which a reader polls without a notification. */
const longestWait = 1_000;
/** A short outage of Redis does not break an answer off. */
const maxFailures = 5;
const failurePause = 500;

/** Notifies readers of this process that answers of other processes have grown. */
export class AnswerNews {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Handles a message of the channel of answers. */
  notify(pieces: string): void {
    for (const wake of this.#waiting.get(pieces) ?? []) wake();
  }

  /** Waits until a list has grown or the time is up. Listens from the moment of the call. */
  wait(pieces: string, milliseconds: number): { readonly over: Promise<void>; stop(): void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(pieces) ?? new Set();
    this.#waiting.set(pieces, waiting.add(resolve));
    const timer = setTimeout(resolve, milliseconds);
    const stop = () => {
      clearTimeout(timer);
      waiting.delete(resolve);
      if (waiting.size === 0 && this.#waiting.get(pieces) === waiting) this.#waiting.delete(pieces);
    };
    return { over: promise, stop };
  }
}

/** An answer that another process made or is making, from its start, then as it comes. */
export class FollowedAnswer implements AsyncIterable<AnswerPiece> {
  readonly #run: RedisConnection['run'];
  readonly #keys: readonly [string, string];
  readonly #attempt: string;
  readonly #news: AnswerNews;

  constructor(run: RedisConnection['run'], key: string, attempt: string, news: AnswerNews) {
    this.#run = run;
    this.#keys = storedAnswerKeys(key, attempt);
    this.#attempt = attempt;
    this.#news = news;
  }

  /** Ends with HeadgateError `service_unavailable` when nobody will make the rest. */
  async *[Symbol.asyncIterator](): AsyncGenerator<AnswerPiece> {
    for (let next = 0; ; ) {
      const news = this.#news.wait(this.#keys[1], longestWait);
      try {
        const { alive, pieces } = await this.#read(next);
        next += pieces.length;
        for (const piece of pieces) {
          if (piece === endOfAnswer) return;
          yield decodePiece(piece);
        }
        if (pieces.length > 0) continue;
        if (!alive) throw brokenOff();
        await news.over;
      } finally {
        news.stop();
      }
    }
  }

  async #read(from: number): Promise<{ readonly alive: boolean; readonly pieces: readonly string[] }> {
    for (let failures = 1; ; failures += 1) {
      try {
        const args = [this.#attempt, String(from), String(readTogether)];
        const reply = await this.#run(readScript, this.#keys, args);
        const [alive, pieces] = Array.isArray(reply) ? reply : [];
        return { alive: alive === 1, pieces: Array.isArray(pieces) ? pieces.map(String) : [] };
      } catch (failure) {
        if (failures === maxFailures) throw failure;
        await new Promise((resolve) => setTimeout(resolve, failurePause));
      }
    }
  }
}

function brokenOff(): HeadgateError {
  return new HeadgateError(
    'service_unavailable',
    'The answer broke off because the process that made it ended. Send the request again.',
  );
}
