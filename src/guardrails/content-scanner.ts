import { Worker } from 'node:worker_threads';
import { HeadgateError } from '../core/errors.ts';
import type { ScannedText, ScanResult, ScanRules } from './scan-rules.ts';
import { scanTexts } from './scan-texts.ts';

/** What scans the texts of a request. */
export interface TextScanner {
  /** @throws HeadgateError `service_unavailable` when the texts cannot be scanned in time. */
  scan(
    texts: readonly ScannedText[],
    rules: ScanRules,
    signal?: AbortSignal,
  ): ScanResult | Promise<ScanResult>;
}

/** Bounds of scans in the thread. */
export interface ScannerLimits {
  /** Texts of up to so many characters in all are scanned at once, longer ones in the thread. */
  readonly inline: number;
  /** Milliseconds a scan in the thread may take. */
  readonly time: number;
  /** How many requests may wait for the thread. */
  readonly waiting: number;
}

const usualLimits: ScannerLimits = { inline: 16_384, time: 10_000, waiting: 256 };

/** The heap of the thread, in MiB. Young garbage is collected early, otherwise it grows with every long text. */
const threadLimits = { maxOldGenerationSizeMb: 160, maxYoungGenerationSizeMb: 8 };

/** A job for the thread. */
export interface ScanJob {
  readonly texts: readonly ScannedText[];
  readonly rules: ScanRules;
}

interface WaitingJob extends ScanJob {
  readonly result: PromiseWithResolvers<ScanResult>;
}

/**
 * Scans short texts at once, and longer ones one after the other in a thread of its own, so that nobody else waits for
 * them (docs/spec/guardrails.md#cost). The thread starts with the first such text.
 */
export class ContentScanner implements TextScanner {
  readonly #limits: ScannerLimits;
  readonly #waiting: WaitingJob[] = [];
  #running: WaitingJob | undefined;
  #thread: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(limits: Partial<ScannerLimits> = {}) {
    this.#limits = { ...usualLimits, ...limits };
  }

  scan(texts: readonly ScannedText[], rules: ScanRules): ScanResult | Promise<ScanResult> {
    let length = 0;
    for (const { text } of texts) length += text.length;
    if (length <= this.#limits.inline) return scanTexts(texts, rules);
    if (this.#closed || this.#waiting.length >= this.#limits.waiting) {
      throw notScanned('as many requests as may wait are being scanned');
    }
    const result = Promise.withResolvers<ScanResult>();
    this.#waiting.push({ texts, rules, result });
    this.#next();
    return result.promise;
  }

  /** Ends the thread; requests that wait for it fail. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { result } of this.#waiting.splice(0)) result.reject(notScanned('the server stops'));
    this.#fail('the server stops');
    await this.#thread?.terminate();
  }

  #next(): void {
    if (this.#running !== undefined) return;
    const job = this.#waiting.shift();
    if (job === undefined) return;
    this.#running = job;
    this.#thread ??= this.#start();
    this.#timer = setTimeout(() => this.#giveUp('it took too long'), this.#limits.time).unref();
    this.#thread.postMessage({ texts: job.texts, rules: job.rules } satisfies ScanJob);
  }

  #start(): Worker {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const thread = new Worker(new URL(`./scan-thread.${extension}`, import.meta.url), {
      resourceLimits: threadLimits,
    });
    thread.on('message', (message: ScanResult) => {
      if (thread !== this.#thread) return;
      const job = this.#running;
      this.#end();
      job?.result.resolve(message);
      this.#next();
    });
    thread.on('error', () => {
      if (thread === this.#thread) this.#giveUp('the scan broke off');
    });
    thread.unref();
    return thread;
  }

  #giveUp(reason: string): void {
    const thread = this.#thread;
    this.#thread = undefined;
    void thread?.terminate();
    this.#fail(reason);
    if (!this.#closed) this.#next();
  }

  #fail(reason: string): void {
    const job = this.#running;
    this.#end();
    job?.result.reject(notScanned(reason));
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#running = undefined;
  }
}

function notScanned(reason: string): HeadgateError {
  return new HeadgateError(
    'service_unavailable',
    `The guardrails of this request could not scan it: ${reason}.`,
  );
}
