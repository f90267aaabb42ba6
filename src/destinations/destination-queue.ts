import { randomUUID } from 'node:crypto';
import type { DestinationHealth, OpenDestination } from '../ports/destinations.ts';
import type { Slots } from '../waiting/slots.ts';
import type { Batch, Sent } from './send-batch.ts';

/** Bounds of what waits (docs/spec/destinations.md#delivery). */
export interface QueueLimits {
  /** Requests, and bytes, that wait for one destination. */
  readonly queue: number;
  readonly queueBytes: number;
  /** Bytes that wait for all of them. */
  readonly totalBytes: number;
  /** Tries after the first. */
  readonly retries: number;
}

/** Milliseconds. */
export interface QueuePauses {
  /** Until a batch that is not full is sent. */
  readonly batch: number;
  /** Before the second try; each further one waits four times as long. */
  readonly retry: number;
  /** After many lost batches. */
  readonly rest: number;
}

/** What they usually are. */
export const usualPauses: QueuePauses = { batch: 5_000, retry: 1_000, rest: 300_000 };

/** Requests and bytes of one batch. */
const largestBatch = { requests: 100, bytes: 1024 * 1024 };
/** Batches that are lost in a row before a destination is left alone. */
const mostLost = 20;

/** What all queues share. */
export interface QueueParts {
  readonly limits: () => QueueLimits;
  readonly pauses: QueuePauses;
  /** How many send at the same time. */
  readonly slots: Slots;
  /** Bytes that wait in all of them. */
  readonly total: { bytes: number };
  readonly join: (payloads: readonly Buffer[]) => Buffer;
  readonly send: (destination: OpenDestination, batch: Batch, signal: AbortSignal) => Promise<Sent>;
  readonly now: () => number;
  readonly onItems: (result: 'sent' | 'dropped', count: number) => void;
  readonly onHealth: (health: DestinationHealth) => void;
}

/** What waits for one destination: sent in batches, one at a time, and dropped where there is no room. */
export class DestinationQueue {
  open: OpenDestination;
  readonly #parts: QueueParts;
  readonly #leaving = new AbortController();
  #waiting: Buffer[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #lost = 0;
  #restsUntil = 0;
  #succeededAt: number | undefined;
  #isEnding = false;

  constructor(open: OpenDestination, parts: QueueParts) {
    this.open = open;
    this.#parts = parts;
  }

  /** Adds a request, or drops it. */
  add(payload: Buffer): void {
    const { limits, total, onItems } = this.#parts;
    const { queue, queueBytes, totalBytes } = limits();
    const { length } = payload;
    const isFull =
      this.#waiting.length >= queue ||
      this.#bytes + length > queueBytes ||
      total.bytes + length > totalBytes ||
      this.#isEnding;
    if (isFull) {
      onItems('dropped', 1);
      return;
    }
    this.#waiting.push(payload);
    this.#bytes += length;
    total.bytes += length;
    this.#schedule();
  }

  /** Sends what waits once, within the signal's time, and drops what was not taken. */
  async close(signal: AbortSignal): Promise<void> {
    this.#isEnding = true;
    clearTimeout(this.#timer);
    signal.addEventListener('abort', () => this.#leaving.abort(), { once: true });
    if (signal.aborted) this.#leaving.abort();
    await this.#sending;
    while (this.#waiting.length > 0 && !signal.aborted && this.#restsUntil <= this.#parts.now()) {
      await this.#sendNext();
    }
    this.drop();
  }

  /** Drops what waits, for it has nowhere to go. */
  drop(): void {
    clearTimeout(this.#timer);
    this.#isEnding = true;
    this.#leaving.abort();
    const { length } = this.#waiting;
    this.#take(length);
    if (length > 0) this.#parts.onItems('dropped', length);
  }

  #schedule(): void {
    if (this.#sending !== undefined || this.#isEnding) return;
    const { now, pauses } = this.#parts;
    const rest = this.#restsUntil - now();
    const isWhole = this.#waiting.length >= largestBatch.requests || this.#bytes >= largestBatch.bytes;
    if (rest <= 0 && isWhole) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#begin();
      return;
    }
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        this.#begin();
      },
      Math.max(rest, pauses.batch),
    ).unref();
  }

  #begin(): void {
    if (this.#sending !== undefined || this.#waiting.length === 0) return;
    // A rest may have begun since it was to be sent.
    if (this.#restsUntil > this.#parts.now()) {
      this.#schedule();
      return;
    }
    this.#sending = this.#sendNext().finally(() => {
      this.#sending = undefined;
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  async #sendNext(): Promise<void> {
    const payloads = this.#take(this.#nextCount());
    const { join, onItems, onHealth, now } = this.#parts;
    const batch = { id: `msg_${randomUUID().replaceAll('-', '')}`, body: join(payloads) };
    const sent = await this.#sendWithRetries(batch);
    const at = now();
    const count = payloads.length;
    if (sent.isTaken) {
      this.#lost = 0;
      this.#succeededAt = at;
      // The answer counts refused spans but names no requests: at least one request is lost.
      const refused = Math.min(count, sent.rejected);
      onItems('sent', count - refused);
      if (refused > 0) onItems('dropped', refused);
    } else {
      this.#lost += 1;
      onItems('dropped', count);
      // After a rest one trial is enough to know.
      if (this.#lost >= mostLost) this.#restsUntil = at + this.#parts.pauses.rest;
    }
    const isResting = this.#restsUntil > at;
    onHealth({
      state: sent.isTaken ? 'ok' : isResting ? 'paused' : 'failing',
      ...(sent.status !== undefined && { status: sent.status }),
      ...(!sent.isTaken && { reason: sent.reason }),
      ...(this.#succeededAt !== undefined && { succeededAt: this.#succeededAt }),
      at,
    });
  }

  async #sendWithRetries(batch: Batch): Promise<Sent> {
    const { limits, pauses, slots, send } = this.#parts;
    const { retries } = limits();
    const { signal } = this.#leaving;
    for (let tried = 0; ; tried += 1) {
      const sent = await slots
        .run(() => send(this.open, batch, signal), signal)
        .catch((): undefined => undefined);
      if (sent === undefined) return { isTaken: false, reason: 'timeout', mayRetry: false };
      if (sent.isTaken || !sent.mayRetry || tried >= retries || this.#isEnding) return sent;
      const usual = pauses.retry * 4 ** tried * (0.8 + 0.4 * Math.random());
      await wait(Math.max(usual, sent.retryAfter ?? 0), signal);
    }
  }

  #nextCount(): number {
    let bytes = 0;
    let count = 0;
    for (const payload of this.#waiting) {
      if (count > 0 && (count >= largestBatch.requests || bytes + payload.length > largestBatch.bytes)) break;
      bytes += payload.length;
      count += 1;
    }
    return count;
  }

  #take(count: number): readonly Buffer[] {
    const payloads = this.#waiting.splice(0, count);
    const bytes = payloads.reduce((sum, { length }) => sum + length, 0);
    this.#bytes -= bytes;
    this.#parts.total.bytes -= bytes;
    return payloads;
  }
}

/** Waits, or until the signal is aborted. */
function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const over = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', over);
      resolve();
    };
    const timer = setTimeout(over, milliseconds).unref();
    signal.addEventListener('abort', over, { once: true });
  });
}
