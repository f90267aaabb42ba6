import type { Delta } from '../../core/delta.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';

/** A pause in milliseconds before the next piece. */
export interface Wait {
  readonly kind: 'wait';
  readonly milliseconds: number;
}

/** One step of a sandbox model's answer: a delta for each token, or a pause. */
export type Piece = Delta | Wait;

/**
 * One sandbox model: the pieces that answer a call, without usage and finish. The same call always gives the same
 * pieces. A failure is thrown at its place, after the pieces before it were sent.
 */
export type Behaviour = (call: UpstreamCall) => Iterable<Piece>;

/** Begins every text of a sandbox model, so that nobody takes it for a language model's. */
export const marker = '[sandbox] ';

/** Block numbers of the sandbox models. */
export const blocks = { thinking: 0, text: 1, call: 2 } as const;

/** Splits a text into the deltas of one block, one for each token. */
export function speak(
  kind: 'text' | 'thinking' | 'arguments',
  block: number,
  tokens: readonly string[],
): Delta[] {
  return tokens.map((text) => ({ kind, block, text }));
}
