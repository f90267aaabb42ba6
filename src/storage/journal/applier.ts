import type { JournalSource } from './read-source.ts';
import type { Segment } from './segment.ts';

/** Books what a file of the journal holds; resolves with where its last whole frame ends, in bytes. */
export type ApplySource = (source: JournalSource) => Promise<number>;

/** When charges go from the journal into the database. */
export interface ApplierOptions {
  readonly apply: ApplySource;
  /** Milliseconds a charge may wait for others before its batch is booked. */
  readonly applyDelay: number;
  /** Bytes that are booked at once. */
  readonly applySize: number;
  /** Milliseconds between two tries while the database does not take them. */
  readonly retryDelay: number;
}

/** Brings the segments this process writes into the database, in large batches behind the requests. */
export class Applier {
  readonly #options: ApplierOptions;
  /** Oldest first; the last one may still be written to. */
  #segments: Segment[] = [];
  #written = 0;
  #applied = 0;
  /** Charges, as the two above are bytes. */
  #promised = 0;
  #booked = 0;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failure: unknown;

  constructor(options: ApplierOptions) {
    this.#options = options;
  }

  /** Why the database does not take charges, or undefined while it does. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Charges the database has not got yet. */
  get waiting(): number {
    return this.#promised - this.#booked;
  }

  /** Notes that a segment will be written to from now on. */
  add(segment: Segment): void {
    this.#segments.push(segment);
  }

  /** Notes that some bytes, which hold so many charges, were written to the newest segment. */
  wrote(bytes: number, charges: number): void {
    this.#written += bytes;
    this.#promised += charges;
    if (this.#failure !== undefined) return;
    if (this.#written - this.#applied >= this.#options.applySize) this.#run().catch(() => undefined);
    else this.#runAfter(this.#options.applyDelay);
  }

  /** Resolves when the database has everything written before this call; rejects when it does not take it. */
  async flush(): Promise<void> {
    const target = this.#written;
    while (this.#applied < target) await this.#run();
  }

  /** Books what it can. Resolves whether the database has everything and all segments are gone. */
  async close(): Promise<boolean> {
    for (const segment of this.#segments) segment.end();
    await this.#run().catch(() => undefined);
    // The one that ran before may have begun before the end was noted.
    await this.#run().catch(() => undefined);
    clearTimeout(this.#timer);
    await Promise.all(this.#segments.map((segment) => segment.close().catch(() => undefined)));
    return this.#segments.length === 0;
  }

  #run(): Promise<void> {
    this.#running ??= this.#applyAll().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  #runAfter(delay: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#run().catch(() => undefined);
    }, delay);
  }

  async #applyAll(): Promise<void> {
    const promised = this.#promised;
    try {
      for (const segment of [...this.#segments]) await this.#catchUp(segment);
      this.#failure = undefined;
      this.#booked = this.#applied < this.#written ? promised : this.#promised;
      if (this.#applied < this.#written) this.#runAfter(this.#options.applyDelay);
    } catch (error) {
      this.#failure = error;
      this.#runAfter(this.#options.retryDelay);
      throw error;
    }
  }

  async #catchUp(segment: Segment): Promise<void> {
    const { applied: from, written: to } = segment;
    if (from < to) {
      const end = await this.#options.apply({ file: segment.descriptor, from, to });
      if (end !== to) throw new Error(`The journal file "${segment.path}" is damaged at byte ${end}.`);
      segment.markApplied(end);
      this.#applied += to - from;
    }
    if (!segment.ended || segment.applied < segment.written) return;
    await segment.remove();
    this.#segments = this.#segments.filter((one) => one !== segment);
  }
}
