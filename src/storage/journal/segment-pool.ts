import { join } from 'node:path';
import { Segment } from './segment.ts';
import type { CreateSegmentFile, SegmentFile } from './segment-file.ts';

/** How a pool makes segments. */
export interface SegmentPoolOptions {
  readonly directory: string;
  /** Says what the names of the segments begin with. @throws while there can be no place for them. */
  readonly nameOwner: () => string;
  /** Bytes set aside for each. */
  readonly segmentSize: number;
  /** Milliseconds between two tries to make one. */
  readonly retryDelay: number;
  readonly createFile: CreateSegmentFile;
}

/** Keeps one empty segment ahead of the one that is written to, so that there is room even when the disk is full. */
export class SegmentPool {
  readonly #options: SegmentPoolOptions;
  #spare: SegmentFile | undefined;
  #preparing: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;
  #count = 0;
  #failure: unknown;

  constructor(options: SegmentPoolOptions) {
    this.#options = options;
  }

  /** Why there is no empty segment ahead, or undefined when there is one or one is being made. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Makes the first empty segment, now and, where that fails, again and again. */
  prepare(): void {
    this.#prepare().catch(() => undefined);
  }

  /** An empty segment. @throws when none can be made now. */
  async take(): Promise<Segment> {
    if (this.#spare === undefined) await this.#prepare();
    const file = this.#spare;
    if (file === undefined) throw this.#failure;
    this.#spare = undefined;
    this.prepare();
    return new Segment(file);
  }

  /** Counts as failed until a segment was made anew: the proof that writing works again. */
  async distrust(failure: unknown): Promise<void> {
    this.#failure = failure;
    const spare = this.#spare;
    this.#spare = undefined;
    await spare?.remove().catch(() => undefined);
    this.#retryLater();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    await this.#preparing?.catch(() => undefined);
    await this.#spare?.remove().catch(() => undefined);
    this.#spare = undefined;
  }

  #prepare(): Promise<void> {
    this.#preparing ??= this.#make().finally(() => {
      this.#preparing = undefined;
    });
    return this.#preparing;
  }

  async #make(): Promise<void> {
    const { directory, nameOwner, segmentSize, createFile } = this.#options;
    this.#count += 1;
    try {
      const name = segmentName(nameOwner(), this.#count);
      this.#spare = await createFile(join(directory, name), segmentSize);
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error;
      this.#retryLater();
      throw error;
    }
  }

  #retryLater(): void {
    clearTimeout(this.#retry);
    if (this.#closed) return;
    this.#retry = setTimeout(() => this.prepare(), this.#options.retryDelay).unref();
  }
}

/** The file name of an owner's segment. */
function segmentName(owner: string, number: number): string {
  return `${owner}-${String(number).padStart(8, '0')}.charges`;
}

/** The owner a segment is named after, or undefined when a file is none. */
export function ownerOfSegment(name: string): string | undefined {
  return /^([0-9a-f]{16})-\d+\.charges$/.exec(name)?.[1];
}
