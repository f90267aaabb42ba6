import { Worker } from 'node:worker_threads';
import { HeadgateError } from '../../core/errors.ts';
import type { ConnectionSettings, ThreadAnswer, ThreadRequest } from './protocol.ts';
import { ThreadSession } from './thread-session.ts';

/** Starts a database thread. */
export type StartThread = (settings: ConnectionSettings) => Worker;

/** Options of a thread client besides how to connect. */
export interface ThreadOptions {
  /** After how many milliseconds a request fails when the thread does not answer; undefined is never. */
  readonly replyTimeout?: number;
  /** After how many idle milliseconds the thread ends, until it is needed again; undefined is never. */
  readonly idleTimeout?: number;
  readonly startThread?: StartThread;
}

/** A transaction of one caller; nobody else's requests run on the connection until it is released. */
export interface ThreadTransaction {
  send(request: ThreadRequest): Promise<ThreadAnswer>;
  release(): void;
}

/**
 * The near side of a database thread: starts it with the first request, starts it anew after a crash, and
 * keeps transactions apart. Requests outside a transaction are sent at once, without waiting for each other.
 */
export class ThreadClient {
  readonly #settings: ConnectionSettings;
  readonly #options: ThreadOptions;
  #session: ThreadSession | undefined;
  /** Settles when the transaction that is open now has ended. */
  #transaction: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #idleEnd: Promise<void> | undefined;

  constructor(settings: ConnectionSettings, options: ThreadOptions = {}) {
    this.#settings = settings;
    this.#options = options;
  }

  /**
   * Sends one request once no transaction of somebody else is open.
   * @throws DatabaseError when it fails, HeadgateError `service_unavailable` when the client is closed.
   */
  async send(request: ThreadRequest): Promise<ThreadAnswer> {
    while (this.#transaction !== undefined) await this.#transaction;
    return this.#open().request(request);
  }

  /** Opens a transaction once no other one is open. Throws like `send`. */
  async begin(): Promise<ThreadTransaction> {
    while (this.#transaction !== undefined) await this.#transaction;
    // Bound to one session: after a crash no later statement may slip into the next thread's connection.
    const session = this.#open();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#transaction = promise;
    const release = () => {
      this.#transaction = undefined;
      resolve();
    };
    try {
      await session.request({ kind: 'begin' });
    } catch (error) {
      // Given up on too early, it may yet begin; what is sent next comes after this rollback.
      session.request({ kind: 'rollback' }).catch(() => undefined);
      release();
      throw error;
    }
    return { send: (request) => session.request(request), release };
  }

  /** Waits for what was sent before, then closes the connection and ends the thread. */
  close(): Promise<void> {
    this.#closing ??= this.#shut();
    return this.#closing;
  }

  async #shut(): Promise<void> {
    while (this.#transaction !== undefined) await this.#transaction;
    clearTimeout(this.#idleTimer);
    await this.#idleEnd;
    await this.#session?.close();
  }

  #open(): ThreadSession {
    if (this.#closing !== undefined) throw new HeadgateError('service_unavailable', 'The storage is closed.');
    if (this.#session === undefined || this.#session.ended) {
      const start = this.#options.startThread ?? startThread;
      this.#session = new ThreadSession(start(this.#settings), this.#options.replyTimeout);
    }
    this.#postponeIdleEnd();
    return this.#session;
  }

  #postponeIdleEnd(): void {
    const { idleTimeout } = this.#options;
    if (idleTimeout === undefined) return;
    this.#idleTimer ??= setTimeout(() => this.#endIdleThread(), idleTimeout).unref();
    this.#idleTimer.refresh();
  }

  #endIdleThread(): void {
    if (this.#session?.busy || this.#transaction !== undefined) {
      this.#postponeIdleEnd();
      return;
    }
    this.#idleEnd = this.#session?.close().catch(() => undefined);
    this.#session = undefined;
  }
}

/** Starts the database thread of this build: from the sources as they are, or from what the build made of them. */
export function startThread(settings: ConnectionSettings): Worker {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new Worker(new URL(`./database-thread.${extension}`, import.meta.url), { workerData: settings });
}
