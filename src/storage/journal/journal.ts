import { Applier, type ApplierOptions } from './applier.ts';
import type { TellUnreadable } from './other-journals.ts';
import { newOwner, type OwnerLock } from './owner-lock.ts';
import type { Segment } from './segment.ts';
import { type CreateSegmentFile, createSegmentFile } from './segment-file.ts';
import { SegmentPool } from './segment-pool.ts';

/** How a journal may be kept; all but `apply` and `directory` have defaults that suit a server. */
export interface JournalOptions extends Partial<Omit<ApplierOptions, 'apply'>> {
  readonly segmentSize?: number;
  readonly createFile?: CreateSegmentFile;
  /** Whether room is set aside before anything is written, so that a place where that cannot be is known at once. */
  readonly ahead?: boolean;
  /** Told of what others left and nobody can read. */
  readonly onUnreadable?: TellUnreadable;
}

/**
 * The journal of charges ahead of the database (decision 0008). A charge is durable when it is in a segment;
 * the database gets it a moment later, together with many others. Segments are deleted when the database has
 * them; what a dead process leaves is applied by the next one (`OtherJournals`).
 */
export class Journal {
  readonly #applier: Applier;
  readonly #pool: SegmentPool;
  readonly #segmentSize: number;
  #lock: OwnerLock | undefined;
  #current: Segment | undefined;

  constructor(directory: string, apply: ApplierOptions['apply'], options: JournalOptions = {}) {
    const { applyDelay = 250, applySize = 1 << 20, retryDelay = 1000, segmentSize = 4 << 20 } = options;
    const createFile = options.createFile ?? createSegmentFile;
    const nameOwner = () => {
      this.#lock ??= newOwner(directory);
      return this.#lock.owner;
    };
    this.#applier = new Applier({ apply, applyDelay, applySize, retryDelay });
    this.#pool = new SegmentPool({ directory, nameOwner, segmentSize, retryDelay, createFile });
    this.#segmentSize = segmentSize;
    if (options.ahead === true) this.#pool.prepare();
  }

  /** The name of this process in the directory, once it has written anything. */
  get owner(): string | undefined {
    return this.#lock?.owner;
  }

  /** Whether charges can be written and the database takes them. */
  get writable(): boolean {
    return this.hasRoom && this.arrives;
  }

  /** Whether the database took what was written here, when it was last tried. */
  get arrives(): boolean {
    return this.#applier.failure === undefined;
  }

  /** Whether charges can be written, as far as is known. */
  get hasRoom(): boolean {
    return this.#pool.failure === undefined;
  }

  /** Why charges cannot be written, or the database does not take them; undefined while all is well. */
  get failure(): unknown {
    return this.#pool.failure ?? this.#applier.failure;
  }

  /** Why nothing can be written here, as far as is known; undefined where that can be. */
  get roomFailure(): unknown {
    return this.#pool.failure;
  }

  /** Charges that are durable here and that the database has not got yet. */
  get waiting(): number {
    return this.#applier.waiting;
  }

  /**
   * Writes charge lines. Resolves when they are durable; rejects when none of them is. Not to be called again
   * before that.
   */
  async append(lines: readonly string[]): Promise<void> {
    const segment = await this.#segmentWithRoom();
    try {
      this.#applier.wrote(await segment.append(lines), lines.length);
    } catch (error) {
      this.#current = undefined;
      await this.#pool.distrust(error);
      throw error;
    }
  }

  /** Resolves when the database has every charge that was durable at this call. */
  flush(): Promise<void> {
    return this.#applier.flush();
  }

  /** Hands over to the database what it takes and leaves the rest for the next opening. */
  async close(): Promise<void> {
    const empty = await this.#applier.close();
    await this.#pool.close();
    if (empty) this.#lock?.remove();
    else this.#lock?.release();
  }

  async #segmentWithRoom(): Promise<Segment> {
    if (this.#current !== undefined && this.#current.written < this.#segmentSize) return this.#current;
    const next = await this.#pool.take();
    this.#current?.end();
    this.#current = next;
    this.#applier.add(next);
    return next;
  }
}
