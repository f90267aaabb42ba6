import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { PdfJob, PdfOutcome, PdfProblem } from './read-pdf.ts';

/** Bounds of reading PDFs. */
export interface PdfReaderLimits {
  /** Milliseconds that one PDF may take. */
  readonly time: number;
  /** Bytes of memory that a thread may take. */
  readonly memory: number;
  /** How many PDFs are read at the same time, each in a thread of its own. */
  readonly threads: number;
  /** How many may wait. */
  readonly waiting: number;
  /** Bytes that all who wait may have together. */
  readonly waitingBytes: number;
  /** Milliseconds after which a thread without work ends. */
  readonly idle: number;
}

const usualLimits: PdfReaderLimits = {
  time: 30_000,
  memory: 256 * 1024 * 1024,
  // One core is left for everybody else.
  threads: Math.max(1, Math.min(2, availableParallelism() - 1)),
  waiting: 64,
  waitingBytes: 128 * 1024 * 1024,
  idle: 60_000,
};

/** How often the memory of a busy thread is looked at, in milliseconds. */
const watchPeriod = 25;

/** Who asks for a PDF to be read, and how long that may take. */
export interface PdfReading {
  /** Milliseconds it may take, without the wait for a thread; the usual ones by default. */
  readonly time?: number;
  /** Who asks: nobody gets a second thread while somebody else waits. */
  readonly owner?: string;
  /** Aborted when nobody waits for it any more. */
  readonly signal?: AbortSignal;
}

interface Job {
  readonly job: PdfJob;
  readonly time: number;
  readonly owner: string | undefined;
  readonly done: PromiseWithResolvers<PdfOutcome>;
}

/**
 * Reads the text of PDFs in threads, started with the first one: PDFs are strangers' programs, and only a thread can be
 * stopped (docs/spec/plugins.md#file-parser). Its heap is limited by the engine; the buffers beside it are measured while it works.
 */
export class PdfReader {
  readonly #limits: PdfReaderLimits;
  readonly #waiting: Job[] = [];
  #waitingBytes = 0;
  readonly #idle: PdfThread[] = [];
  /** Busy threads, each with the owner it works for. */
  readonly #busy = new Map<PdfThread, string | undefined>();
  #closed = false;

  constructor(limits: Partial<PdfReaderLimits> = {}) {
    this.#limits = { ...usualLimits, ...limits };
  }

  /** How many threads there are. */
  get threads(): number {
    return this.#idle.length + this.#busy.size;
  }

  /** Reads a PDF, as soon as a thread is free. Never fails: what went wrong is the outcome. */
  read(job: PdfJob, { time = this.#limits.time, owner, signal }: PdfReading = {}): Promise<PdfOutcome> {
    const { waiting: mostWaiting, waitingBytes } = this.#limits;
    const isFull =
      this.#waiting.length >= mostWaiting || this.#waitingBytes + job.bytes.length > waitingBytes;
    const mayWait = this.#waiting.length === 0 && this.#busy.size < this.#limits.threads;
    if (this.#closed || (isFull && !mayWait)) return Promise.resolve({ problem: 'busy' });
    const done = Promise.withResolvers<PdfOutcome>();
    const waiting: Job = { job, time, owner, done };
    this.#waiting.push(waiting);
    this.#waitingBytes += job.bytes.length;
    const leave = () => this.#leave(waiting);
    signal?.addEventListener('abort', leave, { once: true });
    this.#next();
    return done.promise.finally(() => signal?.removeEventListener('abort', leave));
  }

  /** Ends the threads; jobs that wait get `busy`. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { done } of this.#waiting.splice(0)) done.resolve({ problem: 'busy' });
    await Promise.all([...this.#busy.keys(), ...this.#idle.splice(0)].map((thread) => thread.end()));
  }

  #next(): void {
    if (this.#busy.size >= this.#limits.threads) return;
    const next = this.#takeNext();
    if (next === undefined) return;
    const thread = this.#idle.pop() ?? new PdfThread(this.#limits);
    this.#busy.set(thread, next.owner);
    void thread.read(next.job, next.time).then((outcome) => {
      this.#busy.delete(thread);
      if (thread.isAlive && !this.#closed) this.#rest(thread);
      next.done.resolve(outcome);
      this.#next();
    });
  }

  /** Takes the oldest job whose owner has no busy thread or, if there is none, the oldest job. */
  #takeNext(): Job | undefined {
    const served = new Set(this.#busy.values());
    const index = this.#waiting.findIndex(({ owner }) => owner === undefined || !served.has(owner));
    const [next] = this.#waiting.splice(Math.max(index, 0), 1);
    if (next !== undefined) this.#waitingBytes -= next.job.bytes.length;
    return next;
  }

  /** Gives up a job that waits. */
  #leave(job: Job): void {
    const index = this.#waiting.indexOf(job);
    if (index === -1) return;
    this.#waiting.splice(index, 1);
    this.#waitingBytes -= job.job.bytes.length;
    job.done.resolve({ problem: 'busy' });
  }

  #rest(thread: PdfThread): void {
    this.#idle.push(thread);
    thread.restUntil(this.#limits.idle, () => {
      const index = this.#idle.indexOf(thread);
      if (index !== -1) this.#idle.splice(index, 1);
    });
  }
}

/** One thread, and the PDF it reads. */
class PdfThread {
  readonly #limits: PdfReaderLimits;
  readonly #worker: Worker;
  #timers: NodeJS.Timeout[] = [];
  #done: ((outcome: PdfOutcome) => void) | undefined;
  isAlive = true;

  constructor(limits: PdfReaderLimits) {
    this.#limits = limits;
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    this.#worker = new Worker(new URL(`./pdf-thread.${extension}`, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: Math.ceil(limits.memory / (1024 * 1024)) },
      // What a library writes about strangers' documents belongs in no log.
      stdout: true,
      stderr: true,
    });
    this.#worker.on('message', (outcome: PdfOutcome) => this.#finish(outcome));
    this.#worker.on('error', () => this.#giveUp('too_large'));
    this.#worker.on('exit', () => this.#giveUp('broken'));
    this.#worker.stdout.resume();
    this.#worker.stderr.resume();
    this.#worker.unref();
  }

  /** Reads a PDF; a thread reads one at a time. */
  read({ bytes, ...job }: PdfJob, time: number): Promise<PdfOutcome> {
    this.#stopTimers();
    const { promise, resolve } = Promise.withResolvers<PdfOutcome>();
    this.#done = resolve;
    this.#timers = [
      setTimeout(() => this.#giveUp('too_slow'), time).unref(),
      setInterval(() => void this.#watch(), watchPeriod).unref(),
    ];
    const copy = Uint8Array.from(bytes);
    this.#worker.postMessage({ ...job, bytes: copy }, [copy.buffer]);
    return promise;
  }

  /** Ends the thread if it gets nothing to do for some time. */
  restUntil(idle: number, onEnd: () => void): void {
    this.#timers = [
      setTimeout(() => {
        onEnd();
        void this.end();
      }, idle).unref(),
    ];
  }

  async end(): Promise<void> {
    this.isAlive = false;
    this.#finish({ problem: 'busy' });
    await this.#worker.terminate();
  }

  /** Buffers lie beside the heap, and nothing but this limits them. */
  async #watch(): Promise<void> {
    try {
      const { external_memory: buffers, used_heap_size: heap } = await this.#worker.getHeapStatistics();
      if (buffers + heap > this.#limits.memory) this.#giveUp('too_large');
    } catch {
      // It ended in the meantime.
    }
  }

  #giveUp(problem: PdfProblem): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    void this.#worker.terminate();
    this.#finish({ problem });
  }

  #finish(outcome: PdfOutcome): void {
    this.#stopTimers();
    const done = this.#done;
    this.#done = undefined;
    done?.(outcome);
  }

  #stopTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = [];
  }
}
