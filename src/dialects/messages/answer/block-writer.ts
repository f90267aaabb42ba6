import type { Delta } from '../../../core/delta.ts';
import type { Block } from './message.ts';

/** Writes the block or blocks of one thing the model says, from its deltas. */
export interface BlockWriter {
  /** The adapter's number of what it writes. */
  readonly block: number;
  /** Set once the provider says that nothing more comes. */
  ended: boolean;
  /** Whether something else may begin before the provider has ended it. */
  readonly yields: boolean;
  takes(delta: Delta): boolean;
  write(delta: Delta): void;
  /** Ends it; returns its blocks as an unstreamed answer has them. */
  close(): readonly Block[];
}

/** Numbers blocks and hands their events on. */
export interface BlockSink {
  start(block: Block): void;
  delta(delta: { readonly type: string; readonly [member: string]: unknown }): void;
  stop(): void;
}
