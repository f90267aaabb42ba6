import { randomUUID } from 'node:crypto';
import type { AnswerPiece, AnswerRecorder, Claim, StoredAnswers } from '../../ports/stored-answers.ts';
import { RecordedAnswer } from '../recorded-answer.ts';
import { RunningAnswers } from '../running-answers.ts';
import { AnswerUpload } from './answer-upload.ts';
import { bounded } from './bounded.ts';
import { type AnswerNews, FollowedAnswer } from './followed-answer.ts';
import type { RedisConnection } from './redis-connection.ts';
import { claimScript, forgetScript, storedAnswerKeys } from './stored-answer-scripts.ts';

/** Milliseconds before a claim of which nobody knows whether it was made is given back. */
const forgetDelay = 2_000;
/** Milliseconds that a claim waits for an answer of this process to be known to all. */
const longestWait = 1_000;
/** Milliseconds that a process which ends waits for its answers to be known to all: a failover takes two or three seconds. */
const longestEnd = 3_000;

/** Bounds of what one process has kept in Redis. */
export interface KeptAnswerLimits {
  /** Milliseconds a finished answer is kept. */
  readonly lifetime: number;
  /** UTF-16 units of all finished answers of this process together, and of any one; the oldest go first. */
  readonly capacity: number;
  /** Milliseconds after which a maker that is heard of no more has lost its claim. */
  readonly lease: number;
}

/** What stands behind answers stored in Redis. */
export interface StoredAnswerParts {
  readonly run: RedisConnection['run'];
  readonly news: AnswerNews;
  readonly limits: KeptAnswerLimits;
  /** Claims keys in place of Redis while it is away; without it such requests are refused. */
  readonly local: StoredAnswers | undefined;
}

interface RunningAttempt {
  readonly answer: RecordedAnswer;
  readonly upload: AnswerUpload;
}

/** An answer this process is making, whether Redis or this process alone granted the key. */
interface MakingAnswer {
  readonly fingerprint: string;
  readonly answer: AsyncIterable<AnswerPiece>;
  /** Whether it can be joined from its start. */
  readonly isKept: () => boolean;
}

interface KeptAnswer {
  readonly key: string;
  readonly attempt: string;
  readonly length: number;
  readonly until: number;
}

/**
 * Remembers answers in Redis. The process that makes one reads it from its own memory and sends it to the others while
 * it comes. If that process dies, the next claim of the key waits for one lease at most.
 */
export class RedisStoredAnswers implements StoredAnswers {
  readonly #parts: StoredAnswerParts;
  readonly #process = randomUUID();
  readonly #running = new Map<string, RunningAttempt>();
  /** By key: Redis may have forgotten them, or not have heard of them. */
  readonly #making = new Map<string, MakingAnswer>();
  /** Of answers that are whole here and perhaps not yet in Redis. */
  readonly #ending = new Map<string, AnswerUpload>();
  /** In the order they end. */
  readonly #kept: KeptAnswer[] = [];
  readonly #timer: NodeJS.Timeout;
  readonly #answers: RunningAnswers;
  #keptLength = 0;
  #attempts = 0;

  constructor(parts: StoredAnswerParts) {
    this.#parts = parts;
    // What is finished is in Redis.
    this.#answers = new RunningAnswers(parts.limits.capacity, () => 0);
    this.#timer = setInterval(() => this.renew(), parts.limits.lease / 3).unref();
  }

  async claim(key: string, fingerprint: string): Promise<Claim> {
    const making = this.#making.get(key);
    if (making?.fingerprint === fingerprint) {
      return making.isKept() ? { outcome: 'known', answer: making.answer } : { outcome: 'full' };
    }
    if (making !== undefined) return { outcome: 'conflict' };
    const claim = await this.#claimAnywhere(key, fingerprint);
    if (claim.outcome !== 'first') return claim;
    const { answer, recorder } = claim;
    const isKept = () => !(answer instanceof RecordedAnswer) || answer.isKept;
    this.#making.set(key, { fingerprint, answer, isKept });
    const end = (keep: boolean) => {
      if (this.#making.get(key)?.answer === answer) this.#making.delete(key);
      recorder.end(keep);
    };
    return { ...claim, recorder: { write: (piece: AnswerPiece) => recorder.write(piece), end } };
  }

  /** Tells Redis which answers are being made, and what it has missed of them. */
  renew(): void {
    for (const { upload } of this.#running.values()) void upload.renew();
  }

  /** Renews no more leases. Resolves once others have every answer that has ended here, or when it takes too long. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    const ending = [...this.#ending.values()].map(({ finished }) => finished);
    await bounded(Promise.all(ending), longestEnd, 'answers').catch(() => {});
  }

  async #claimAnywhere(key: string, fingerprint: string): Promise<Claim> {
    // A key that was let go of in this process is free at once.
    await bounded(this.#ending.get(key)?.finished ?? Promise.resolve(), longestWait, 'an answer').catch(
      () => {},
    );
    this.#attempts += 1;
    const attempt = `${this.#process}-${this.#attempts}`;
    try {
      return await this.#claim(key, fingerprint, attempt);
    } catch (failure) {
      const forget = () => this.#parts.run(forgetScript, storedAnswerKeys(key, attempt), [attempt]);
      setTimeout(() => forget().catch(() => {}), forgetDelay).unref();
      if (this.#parts.local === undefined) throw failure;
      return this.#parts.local.claim(key, fingerprint);
    }
  }

  async #claim(key: string, fingerprint: string, attempt: string): Promise<Claim> {
    const { run, news, limits } = this.#parts;
    const args = [fingerprint, attempt, String(limits.lease)];
    const reply = await run(claimScript, storedAnswerKeys(key, attempt), args);
    const [word, owner] = Array.isArray(reply) ? reply.map(String) : [];
    if (word === 'conflict') return { outcome: 'conflict' };
    if (word === 'known' && owner !== undefined) {
      const own = this.#running.get(owner)?.answer;
      return { outcome: 'known', answer: own ?? new FollowedAnswer(run, key, owner, news) };
    }
    if (this.#answers.isFull) {
      // Who asks again at once must not meet a claim that nobody fulfils.
      await this.#forget({ key, attempt });
      return { outcome: 'full' };
    }
    const upload = new AnswerUpload(run, { key, fingerprint, attempt }, limits.lease);
    // Others could not read what is not kept, and the text to send takes memory as well.
    const answer = this.#answers.begin(() => void this.#forget({ key, attempt }));
    const running = { answer, upload };
    this.#running.set(attempt, running);
    return { outcome: 'first', recorder: this.#recorderOf(key, attempt, running), answer };
  }

  #recorderOf(key: string, attempt: string, { answer, upload }: RunningAttempt): AnswerRecorder {
    const { lifetime, capacity } = this.#parts.limits;
    return {
      write: (piece: AnswerPiece) => {
        upload.write(piece);
        return answer.write(piece);
      },
      end: (keep) => {
        answer.end();
        this.#answers.end(answer);
        const kept = keep && answer.isKept && answer.length <= capacity;
        upload.end(kept ? lifetime : 0);
        if (kept) this.#keep(key, attempt, answer.length);
        this.#ending.set(key, upload);
        void upload.finished.then(() => {
          this.#running.delete(attempt);
          if (this.#ending.get(key) === upload) this.#ending.delete(key);
        });
      },
    };
  }

  #keep(key: string, attempt: string, length: number): void {
    const { lifetime, capacity } = this.#parts.limits;
    const now = performance.now();
    this.#kept.push({ key, attempt, length, until: now + lifetime });
    this.#keptLength += length;
    for (let oldest = this.#kept[0]; oldest !== undefined; oldest = this.#kept[0]) {
      const over = oldest.until <= now;
      if (!over && this.#keptLength <= capacity) return;
      this.#kept.shift();
      this.#keptLength -= oldest.length;
      if (!over) void this.#forget(oldest);
    }
  }

  async #forget({ key, attempt }: Pick<KeptAnswer, 'key' | 'attempt'>): Promise<void> {
    this.#running.get(attempt)?.upload.close();
    await this.#parts.run(forgetScript, storedAnswerKeys(key, attempt), [attempt]).catch(() => {});
  }
}
