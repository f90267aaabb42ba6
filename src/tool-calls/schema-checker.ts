import { Worker } from 'node:worker_threads';
import type { SchemaCheck } from './judge-calls.ts';

/** How long the checks of one answer may take, and how many answers may wait. */
export interface SchemaCheckerLimits {
  /** Milliseconds. */
  readonly time: number;
  readonly waiting: number;
}

const usualLimits: SchemaCheckerLimits = { time: 1_000, waiting: 1_000 };

interface Job {
  readonly checks: readonly SchemaCheck[];
  readonly done: (fit: boolean) => void;
}

/**
 * Checks values against schemas in a thread of its own, started with the first check, one answer after another.
 * Whatever takes too long or breaks the thread counts as fitting: it says nothing about the value.
 */
export class SchemaChecker {
  readonly #limits: SchemaCheckerLimits;
  readonly #waiting: Job[] = [];
  #running: Job | undefined;
  #thread: Worker | undefined;
  #ready = false;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(limits: SchemaCheckerLimits = usualLimits) {
    this.#limits = limits;
  }

  /** Calls back with whether all values fit; never when too many wait or the checker is closed. */
  check(checks: readonly SchemaCheck[], done: (fit: boolean) => void): void {
    if (this.#closed || this.#waiting.length >= this.#limits.waiting) return;
    this.#waiting.push({ checks, done });
    this.#next();
  }

  /** Ends the thread; what waits is forgotten. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#waiting.length = 0;
    clearTimeout(this.#timer);
    await this.#thread?.terminate();
  }

  #next(): void {
    if (this.#running !== undefined) return;
    const job = this.#waiting.shift();
    if (job === undefined) return;
    this.#running = job;
    this.#thread ??= this.#start();
    if (this.#ready) this.#watch();
    try {
      this.#thread.postMessage(job.checks);
    } catch {
      // Arguments may be nested deeper than a message can be.
      this.#finish(true);
    }
  }

  #start(): Worker {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const thread = new Worker(new URL(`./schema-thread.${extension}`, import.meta.url));
    this.#ready = false;
    thread.on('message', (message: 'ready' | boolean) => {
      if (thread !== this.#thread) return;
      if (message !== 'ready') return this.#finish(message);
      this.#ready = true;
      if (this.#running !== undefined) this.#watch();
    });
    thread.on('error', () => {
      if (thread === this.#thread) this.#giveUp();
    });
    thread.unref();
    return thread;
  }

  #watch(): void {
    this.#timer = setTimeout(() => this.#giveUp(), this.#limits.time).unref();
  }

  #giveUp(): void {
    const thread = this.#thread;
    this.#thread = undefined;
    void thread?.terminate();
    this.#finish(true);
  }

  #finish(fit: boolean): void {
    clearTimeout(this.#timer);
    const job = this.#running;
    this.#running = undefined;
    job?.done(fit);
    if (!this.#closed) this.#next();
  }
}
