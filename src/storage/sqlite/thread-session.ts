import type { Worker } from 'node:worker_threads';
import { LinkedMap } from '../../util/linked-map.ts';
import { messageOf } from '../../util/message-of.ts';
import { DatabaseError } from '../sql/database.ts';
import type { ReplyMessage, RequestMessage, ThreadAnswer, ThreadRequest } from './protocol.ts';

interface Waiting {
  readonly resolve: (answer: ThreadAnswer) => void;
  readonly reject: (reason: unknown) => void;
  readonly timer: NodeJS.Timeout | undefined;
}

/** The life of one database thread, from its start to its end. A session that has ended rejects everything. */
export class ThreadSession {
  readonly #worker: Worker;
  readonly #replyTimeout: number | undefined;
  readonly #waiting = new LinkedMap<number, Waiting>();
  readonly #exit = Promise.withResolvers<void>();
  /** Sent together when this tick is over: a message costs as much as a short read. */
  #unsent: RequestMessage[] = [];
  #nextNumber = 0;
  #end: DatabaseError | undefined;

  /** @param replyTimeout After how many milliseconds an answer is no longer waited for; undefined is never. */
  constructor(worker: Worker, replyTimeout: number | undefined) {
    this.#worker = worker;
    this.#replyTimeout = replyTimeout;
    worker.on('message', (replies: readonly ReplyMessage[]) => {
      for (const reply of replies) this.#settle(reply);
    });
    worker.on('error', (error) => this.#lose(messageOf(error)));
    worker.on('exit', () => {
      this.#lose('it has ended');
      this.#exit.resolve();
    });
  }

  /** Whether the thread is gone, so that another session is needed. */
  get ended(): boolean {
    return this.#end !== undefined;
  }

  /** Sends a request; rejects with DatabaseError when it fails, when the thread ends, or when time is up. */
  request(request: ThreadRequest): Promise<ThreadAnswer> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    return new Promise((resolve, reject) => {
      const number = this.#nextNumber++;
      if (this.#unsent.push({ number, request }) === 1) process.nextTick(() => this.#send());
      this.#waiting.set(number, { resolve, reject, timer: this.#startTimer(number) });
    });
  }

  /** Whether any request has not been answered yet. */
  get busy(): boolean {
    return this.#waiting.size > 0;
  }

  /** Closes the connection after everything sent before, and waits for the thread's end. */
  async close(): Promise<void> {
    if (this.#end !== undefined) return;
    try {
      await this.request({ kind: 'close' });
      await this.#exit.promise;
    } catch (error) {
      // A thread stuck in a system call cannot be ended, but it must not keep the process alive.
      this.#worker.unref();
      void this.#worker.terminate();
      throw error;
    }
  }

  #send(): void {
    const requests = this.#unsent;
    this.#unsent = [];
    this.#worker.postMessage(requests);
  }

  #startTimer(number: number): NodeJS.Timeout | undefined {
    if (this.#replyTimeout === undefined) return undefined;
    return setTimeout(() => {
      const waiting = this.#waiting.get(number);
      this.#waiting.delete(number);
      const message = `no answer within ${this.#replyTimeout} ms`;
      waiting?.reject(new DatabaseError({ message, byStatement: false }));
    }, this.#replyTimeout);
  }

  #settle(reply: ReplyMessage): void {
    const waiting = this.#waiting.get(reply.number);
    if (waiting === undefined) return;
    this.#waiting.delete(reply.number);
    clearTimeout(waiting.timer);
    if ('failure' in reply) waiting.reject(new DatabaseError(reply.failure));
    else waiting.resolve(reply.answer);
  }

  #lose(reason: string): void {
    const message = `the database thread is gone: ${reason}`;
    this.#end ??= new DatabaseError({ message, byStatement: false });
    this.#waiting.dropWhile(
      () => true,
      ({ timer, reject }) => {
        clearTimeout(timer);
        reject(this.#end);
      },
    );
  }
}
