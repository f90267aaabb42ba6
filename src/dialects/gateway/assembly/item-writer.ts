import type { Delta } from '../../../core/delta.ts';
import type { OutputItem, StreamEventBody } from './response.ts';

/** Takes events in order; the assembler numbers them. */
export type Emit = (event: StreamEventBody) => void;

/** How an item is closed: whole, or cut off by a limit. */
export type ClosedStatus = 'completed' | 'incomplete';

/**
 * The open item of a stream. It announces itself when made, turns the fragments of its block into delta
 * events, and closes its parts and itself.
 */
export interface ItemWriter {
  readonly block: number;
  /** Its place in the output. */
  readonly outputIndex: number;
  /** True once the provider said that the block is whole. */
  ended: boolean;
  /** Whether the item may be closed because another block begins; a call waits until its arguments are whole. */
  readonly yields: boolean;
  /** Whether this fragment of the same block belongs to the item, or needs an item of another kind. */
  takes(delta: Delta): boolean;
  write(delta: Delta): void;
  /** Emits the closing events and returns the item as it stands in the final output. */
  close(status: ClosedStatus): OutputItem;
  /**
   * The item as a failed response shows it: incomplete, without closing events
   * (docs/spec/answers.md#broken-off-answers).
   */
  abandon(): OutputItem;
}

/** Where an item stands in the stream. */
export interface ItemPlace {
  readonly item_id: string;
  readonly output_index: number;
}
