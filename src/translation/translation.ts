import type { Delta } from '../core/delta.ts';
import type { CanonicalChat, CanonicalRequest } from '../core/request.ts';
import type { PipelineEntry } from '../core/route-report.ts';

/** One difference between the caller's request and what the endpoint gets. */
export interface Alteration {
  /** The first place in the public request that it concerns, such as `tools[0]`. */
  readonly field: string;
  readonly action: 'emulated' | 'dropped' | 'adapted';
  /** What was done instead, or why nothing was; for people. */
  readonly how: string;
}

/**
 * Restores an endpoint's answer to what the caller asked for. Stateful: one for each answer, called with its batches
 * in order. Buffered deltas are returned with the `finish` delta at the latest.
 */
export type Restore = (batch: readonly Delta[]) => readonly Delta[];

/** A request adapted to one endpoint. */
export interface Translation<Wanted extends CanonicalRequest = CanonicalChat> {
  /** The same object as the input when nothing had to be rewritten. */
  readonly request: Wanted;
  /** Empty when the endpoint serves the request unchanged. */
  readonly alterations: readonly Alteration[];
  /** What plugins did to the request for this endpoint; absent when none did. */
  readonly entries?: readonly PipelineEntry[];
  /** Absent when the answer needs no restoring. */
  readonly restore?: Restore;
}

/** One rewrite of an answer: takes a delta and emits what the caller should see of it. */
export type Restorer = (delta: Delta, emit: (delta: Delta) => void) => void;
