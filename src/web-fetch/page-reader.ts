import { Worker } from 'node:worker_threads';
import { HeadgateError } from '../core/errors.ts';

/** A page as text. */
export interface ReadPage {
  readonly title: string;
  /** Markdown. */
  readonly content: string;
}

/** How long the reading of a page may take, how much memory it may use, and how many pages may wait. */
export interface PageReaderLimits {
  /** Milliseconds. */
  readonly time: number;
  /** MiB. */
  readonly memory: number;
  readonly waiting: number;
}

const usualLimits: PageReaderLimits = { time: 15_000, memory: 256, waiting: 64 };

interface Job {
  readonly html: string;
  readonly url: string;
  readonly done: PromiseWithResolvers<ReadPage>;
}

/**
 * Reads pages in a thread of its own, started with the first one, one page after another: pages are strangers' words, and only
 * a thread can be stopped (docs/spec/server-tools.md#web-fetch).
 */
export class PageReader {
  readonly #limits: PageReaderLimits;
  readonly #waiting: Job[] = [];
  #running: Job | undefined;
  #thread: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: PageReaderLimits = usualLimits) {
    this.#limits = limits;
  }

  /** The main text of a page. @throws HeadgateError `invalid_request` when it cannot be read. */
  read(html: string, url: string): Promise<ReadPage> {
    if (this.#waiting.length >= this.#limits.waiting) {
      throw new HeadgateError('service_unavailable', 'Too many pages are being read.');
    }
    const job = { html, url, done: Promise.withResolvers<ReadPage>() };
    this.#waiting.push(job);
    this.#next();
    return job.done.promise;
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#thread?.terminate();
  }

  #next(): void {
    if (this.#running !== undefined) return;
    const job = this.#waiting.shift();
    if (job === undefined) return;
    this.#running = job;
    this.#thread ??= this.#start();
    this.#timer = setTimeout(() => this.#giveUp(), this.#limits.time).unref();
    this.#thread.postMessage({ html: job.html, url: job.url });
  }

  #start(): Worker {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const thread = new Worker(new URL(`./page-thread.${extension}`, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.memory },
    });
    thread.on('message', (page: ReadPage | undefined) => {
      if (thread === this.#thread) this.#finish(page);
    });
    thread.on('error', () => {
      if (thread === this.#thread) this.#giveUp();
    });
    thread.unref();
    return thread;
  }

  #giveUp(): void {
    const thread = this.#thread;
    this.#thread = undefined;
    void thread?.terminate();
    this.#finish(undefined);
  }

  #finish(page: ReadPage | undefined): void {
    clearTimeout(this.#timer);
    const job = this.#running;
    this.#running = undefined;
    if (page === undefined)
      job?.done.reject(new HeadgateError('invalid_request', 'The page could not be read.'));
    else job?.done.resolve(page);
    this.#next();
  }
}
