import { randomUUID } from 'node:crypto';
import type { AnswerPiece, AnswerRecorder, Claim, StoredAnswers } from '../../ports/stored-answers.ts';
import { LinkedMap } from '../../util/linked-map.ts';
import { AnswerShares, type Holding, type Keeper } from '../answer-shares.ts';
import { type AnswerEnd, claimBytes, HeldAnswer } from '../held-answer.ts';
import { RecordedAnswer } from '../recorded-answer.ts';
import { encodePiece, endOfAnswer } from './answer-pieces.ts';
import { bounded } from './bounded.ts';
import { type AnswerNews, FollowedAnswer } from './followed-answer.ts';
import type { RedisConnection } from './redis-connection.ts';
import {
  appendScript,
  claimScript,
  forgetScript,
  goneScript,
  storedAnswerKeys,
} from './stored-answer-scripts.ts';

/** Milliseconds before a claim of which nobody knows whether it was made is given back. */
const forgetDelay = 2_000;
/** Milliseconds that a claim waits for an answer of this process to be known to all. */
const longestWait = 1_000;
/** Milliseconds that a process which ends waits for its answers to be known to all: a failover takes two or three seconds. */
const longestEnd = 3_000;

/** Bounds of what one process has kept in Redis. */
export interface KeptAnswerLimits {
  /** Milliseconds a finished answer is kept, and its key remembered. */
  readonly lifetime: number;
  /** Bytes of all answers that this process has in Redis, and again of those it has in its memory. */
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
  readonly held: HeldAnswer;
  readonly upload: AnswerUpload;
}

/** An answer this process is making, whether Redis or this process alone granted the key. */
interface MakingAnswer {
  readonly fingerprint: string;
  readonly answer: AsyncIterable<AnswerPiece>;
  /** Whether it can be joined from its start. */
  readonly isKept: () => boolean;
}

/** What a claim is made with. */
interface Claiming extends Attempt {
  readonly account: string;
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
  /** What this process has in its memory, and what it has in Redis. */
  readonly #memory: AnswerShares;
  readonly #kept: KeptAnswers;
  readonly #timer: NodeJS.Timeout;
  #attempts = 0;

  constructor(parts: StoredAnswerParts) {
    this.#parts = parts;
    this.#memory = new AnswerShares(parts.limits.capacity);
    this.#kept = new KeptAnswers(parts.run, parts.limits);
    this.#timer = setInterval(() => this.renew(), parts.limits.lease / 3).unref();
  }

  async claim(key: string, fingerprint: string, account: string): Promise<Claim> {
    const making = this.#making.get(key);
    if (making?.fingerprint === fingerprint) {
      return making.isKept() ? { outcome: 'known', answer: making.answer } : { outcome: 'gone' };
    }
    if (making !== undefined) return { outcome: 'conflict' };
    const claim = await this.#claimAnywhere(key, fingerprint, account);
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
    this.#kept.renew();
  }

  /** Renews no more leases. Resolves once others have every answer that has ended here, or when it takes too long. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    const ending = [...this.#ending.values()].map(({ finished }) => finished);
    await bounded(Promise.all(ending), longestEnd, 'answers').catch(() => {});
  }

  async #claimAnywhere(key: string, fingerprint: string, account: string): Promise<Claim> {
    // A key that was let go of in this process is free at once.
    await bounded(this.#ending.get(key)?.finished ?? Promise.resolve(), longestWait, 'an answer').catch(
      () => {},
    );
    this.#attempts += 1;
    const attempt = `${this.#process}-${this.#attempts}`;
    try {
      return await this.#claim({ key, fingerprint, attempt, account });
    } catch (failure) {
      const forget = () => this.#parts.run(forgetScript, storedAnswerKeys(key, attempt), [attempt]);
      setTimeout(() => forget().catch(() => {}), forgetDelay).unref();
      if (this.#parts.local === undefined) throw failure;
      return this.#parts.local.claim(key, fingerprint, account);
    }
  }

  async #claim(claiming: Claiming): Promise<Claim> {
    const { run, news, limits } = this.#parts;
    const { key, fingerprint, attempt, account } = claiming;
    const args = [fingerprint, attempt, String(limits.lease)];
    const reply = await run(claimScript, storedAnswerKeys(key, attempt), args);
    const [word, owner] = Array.isArray(reply) ? reply.map(String) : [];
    if (word === 'conflict' || word === 'gone') return { outcome: word };
    if (word === 'known' && owner !== undefined) {
      const own = this.#running.get(owner)?.held.kept;
      return { outcome: 'known', answer: own ?? new FollowedAnswer(run, key, owner, news) };
    }
    const onGone = () => this.#markGone(claiming);
    const held = new HeldAnswer(this.#memory, { key, account, onGone });
    if (!held.isAdmitted || !this.#kept.enter(claiming)) {
      held.release();
      // Who asks again at once must not meet a claim that nobody fulfils.
      await this.#forget(claiming);
      return { outcome: 'full' };
    }
    const running = { held, upload: new AnswerUpload(run, claiming, limits.lease) };
    this.#running.set(attempt, running);
    return { outcome: 'first', recorder: this.#recorderOf(claiming, running), answer: held.running };
  }

  #recorderOf(claiming: Claiming, { held, upload }: RunningAttempt): AnswerRecorder {
    const { key, attempt } = claiming;
    const answer = held.running;
    return {
      write: (piece: AnswerPiece) => {
        upload.write(piece);
        return answer.write(piece);
      },
      end: (keep) => {
        const { held: bytes } = answer;
        const end = held.end(keep);
        upload.end(end === 'kept' ? this.#parts.limits.lifetime : 0);
        this.#kept.end(attempt, end, bytes);
        if (end === 'free') void this.#forgetUnkept(claiming, answer);
        this.#ending.set(key, upload);
        void upload.finished.then(() => {
          this.#running.delete(attempt);
          if (this.#ending.get(key) === upload) this.#ending.delete(key);
          // From here on it is read from Redis.
          held.release();
        });
      },
    };
  }

  /** Others could not read what is not kept, and the text to send takes memory as well. */
  #markGone({ attempt }: Claiming): void {
    this.#running.get(attempt)?.upload.close();
    this.#kept.markGone(attempt);
  }

  /** An answer that was not kept failed after all: its key is free again. */
  async #forgetUnkept(claiming: Claiming, { isKept }: RecordedAnswer): Promise<void> {
    if (!isKept) await this.#forget(claiming);
  }

  async #forget({ key, attempt }: Pick<Claiming, 'key' | 'attempt'>): Promise<void> {
    this.#running.get(attempt)?.upload.close();
    await this.#parts.run(forgetScript, storedAnswerKeys(key, attempt), [attempt]).catch(() => {});
  }
}

/** What an answer takes in Redis. */
interface KeptAnswer extends Keeper {
  readonly attempt: Attempt;
  holding: Holding | undefined;
  /** Milliseconds of the monotonic clock; undefined while it is made. */
  until: number | undefined;
}

/** Bounds what one process has in Redis: whole answers, and claims of those that are kept no more. */
class KeptAnswers {
  readonly #run: RedisConnection['run'];
  readonly #lifetime: number;
  readonly #shares: AnswerShares;
  readonly #making = new Map<string, KeptAnswer>();
  readonly #ended = new LinkedMap<string, KeptAnswer>();
  /** Of which Redis does not know yet that they are gone. */
  readonly #unmarked = new Map<string, KeptAnswer>();

  constructor(
    run: RedisConnection['run'],
    { lifetime, capacity }: { readonly lifetime: number; readonly capacity: number },
  ) {
    this.#run = run;
    this.#lifetime = lifetime;
    this.#shares = new AnswerShares(capacity);
  }

  /** Takes room for a claim. False when there is none. */
  enter({ account, ...attempt }: Attempt & { readonly account: string }): boolean {
    this.#dropExpired();
    const kept: KeptAnswer = {
      attempt,
      holding: undefined,
      until: undefined,
      giveUp: () => this.#giveUp(kept),
    };
    kept.holding = this.#shares.enter(account, bytesOfClaim(attempt), kept);
    if (kept.holding !== undefined) this.#making.set(attempt.attempt, kept);
    return kept.holding !== undefined;
  }

  /** An answer is over. @param bytes What it takes if it is kept. */
  end(attempt: string, end: AnswerEnd, bytes: number): void {
    const kept = this.#making.get(attempt);
    if (kept === undefined) return;
    this.#making.delete(attempt);
    if (end === 'free') {
      this.#unmarked.delete(attempt);
      kept.holding?.leave();
      return;
    }
    kept.until = performance.now() + this.#lifetime;
    this.#ended.set(attempt, kept);
    if (end === 'kept') kept.holding?.set(bytesOfClaim(kept.attempt), bytes, false);
  }

  /** An answer is kept no more, though it may still be made. */
  markGone(attempt: string): void {
    const kept = this.#making.get(attempt) ?? this.#ended.get(attempt);
    if (kept !== undefined) this.#giveUp(kept);
  }

  /** Repeats what Redis has missed. */
  renew(): void {
    this.#dropExpired();
    for (const kept of this.#unmarked.values()) void this.#mark(kept);
  }

  #giveUp(kept: KeptAnswer): void {
    kept.holding?.set(bytesOfClaim(kept.attempt), 0, false);
    this.#unmarked.set(kept.attempt.attempt, kept);
    void this.#mark(kept);
  }

  async #mark({ attempt: { key, fingerprint, attempt }, until }: KeptAnswer): Promise<void> {
    const left = until === undefined ? this.#lifetime : Math.ceil(until - performance.now());
    const args = [attempt, fingerprint, String(Math.max(1, left))];
    try {
      await this.#run(goneScript, storedAnswerKeys(key, attempt), args);
      this.#unmarked.delete(attempt);
    } catch {
      // The next renewal tries again.
    }
  }

  #dropExpired(): void {
    const now = performance.now();
    this.#ended.dropWhile(
      ({ until = now }) => until <= now,
      ({ attempt, holding }) => {
        this.#unmarked.delete(attempt.attempt);
        holding?.leave();
      },
    );
  }
}

function bytesOfClaim({ key }: Attempt): number {
  return claimBytes + key.length;
}

/** Milliseconds for which current readers can read the rest of a complete answer. */
const lingering = 120_000;
/** Delay before a failed command is sent again. */
const retryDelay = 500;
/** Limits of one command: pieces, and UTF-16 units unless a single piece is larger. */
const maxPieces = 200;
const maxText = 1_000_000;

/** The attempt whose answer is sent to other processes. */
interface Attempt {
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
