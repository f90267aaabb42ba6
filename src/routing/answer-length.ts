import type { Delta } from '../core/delta.ts';
import { textSize } from '../core/delta-size.ts';
import { HeadgateError } from '../core/errors.ts';
import type { AnswerRoom } from '../ports/answer-room.ts';

/** Bytes that a fragment of a running text counts besides its characters: it is joined to the text before it. */
const sizeOfFragment = 16;
/** Bytes that the beginning of an item counts, or an addition to it that stays an object of its own. */
const sizeOfItem = 512;
/** Bytes that a delta counts which is kept only until something visible comes. */
const sizeOfPrelude = 1024;

/** Deltas that go on with the item of the delta before them, and become no object of their own. */
const light: ReadonlySet<Delta['kind']> = new Set([
  'text',
  'refusal',
  'thinking',
  'summary',
  'arguments',
  'fragment',
  'stage',
  'end',
]);

/** Counts how much of an endpoint's answer stays in memory until its end. */
export class AnswerLength {
  readonly #room: AnswerRoom;
  #kept = 0;
  #block: number | undefined;

  constructor(room: AnswerRoom) {
    this.#room = room;
  }

  /**
   * Counts a batch.
   * @throws HeadgateError `provider_endless` when the answer is too long now.
   */
  add(batch: readonly Delta[]): void {
    let bytes = 0;
    for (const delta of batch) if ('block' in delta) bytes += this.#sizeOf(delta);
    if (bytes > 0) this.#keep(bytes);
  }

  /**
   * Counts a batch of which nothing can be shown yet.
   * @throws HeadgateError `provider_endless` when there are too many.
   */
  addPrelude(batch: readonly Delta[]): void {
    this.#keep(batch.length * sizeOfPrelude);
  }

  /** The answer is dropped: another endpoint's takes its place. */
  drop(): void {
    this.#room.keep(-this.#kept);
    this.#kept = 0;
  }

  #keep(bytes: number): void {
    this.#kept += bytes;
    this.#room.keep(bytes);
    const { limit } = this.#room;
    if (this.#kept <= limit) return;
    const message = `The answer was cut off: the provider sent more than ${limit} bytes.`;
    throw new HeadgateError('provider_endless', message);
  }

  #sizeOf(delta: Extract<Delta, { block: number }>): number {
    const goesOn = delta.block === this.#block && light.has(delta.kind);
    this.#block = delta.block;
    return (goesOn ? sizeOfFragment : sizeOfItem) + textSize(delta);
  }
}
