import { encodeFrame, segmentMark } from './frame.ts';
import type { SegmentFile } from './segment-file.ts';

/** One file of the journal, written from its beginning to its end and applied in the same order. */
export class Segment {
  readonly #file: SegmentFile;
  #written = segmentMark.length;
  #applied = segmentMark.length;
  #ended = false;

  constructor(file: SegmentFile) {
    this.#file = file;
  }

  get path(): string {
    return this.#file.path;
  }

  get descriptor(): number {
    return this.#file.descriptor;
  }

  /** Where what is on the disk ends, in bytes. */
  get written(): number {
    return this.#written;
  }

  /** Where what is in the database ends, in bytes. */
  get applied(): number {
    return this.#applied;
  }

  /** Whether nothing more will be written to it. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Appends lines as one frame. Resolves with its length once it is on the disk. */
  async append(lines: readonly string[]): Promise<number> {
    const frame = encodeFrame(lines.join(''));
    try {
      await this.#file.write(frame, this.#written);
    } catch (error) {
      // What was promised to nobody must not be booked by the next start either.
      await this.#file.truncate(this.#written).catch(() => undefined);
      this.#ended = true;
      throw error;
    }
    this.#written += frame.length;
    return frame.length;
  }

  /** Notes that nothing more will be written to it. */
  end(): void {
    this.#ended = true;
  }

  /** Notes how far the database has it, durably. */
  markApplied(position: number): void {
    this.#applied = position;
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  remove(): Promise<void> {
    return this.#file.remove();
  }
}
