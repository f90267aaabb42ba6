import type { Delta } from '../core/delta.ts';
import type { CanonicalRequest } from '../core/request.ts';

/** One thing an endpoint is asked in other words than the caller's, or not at all. */
export interface Alteration {
  /** The first place in the public request it concerns, such as `tools[0]`. */
  readonly field: string;
  readonly action: 'emulated' | 'dropped' | 'adapted';
  /** What was done instead, or why nothing was; for people. */
  readonly how: string;
}

/**
 * Turns what an endpoint says back into what the caller asked for. Keeps state: one for each answer, given its
 * batches in order. What it holds back comes at the latest with the `finish` delta.
 */
export type Restore = (batch: readonly Delta[]) => readonly Delta[];

/** A request as one endpoint can serve it. */
export interface Translation {
  /** The very request that was given when nothing had to be rewritten. */
  readonly request: CanonicalRequest;
  /** Empty when the endpoint serves the request as it is. */
  readonly alterations: readonly Alteration[];
  /** Absent when the answer needs nothing. */
  readonly restore?: Restore;
}

/** One rewriting of an answer: takes a delta and emits what the caller shall see of it. */
export type Restorer = (delta: Delta, emit: (delta: Delta) => void) => void;
