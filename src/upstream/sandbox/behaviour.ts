import type { Delta } from '../../core/delta.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';

/** Silence of so many milliseconds before the next piece. */
export interface Wait {
  readonly kind: 'wait';
  readonly milliseconds: number;
}

/** Something a sandbox model says, one delta for each token, or a silence. */
export type Piece = Delta | Wait;

/**
 * One sandbox model: what it says to a call, without usage and finish. The same call always gives the same
 * pieces. A failure is thrown where it happens; what came before it is heard.
 */
export type Behaviour = (call: UpstreamCall) => Iterable<Piece>;

/** Begins every text a sandbox model writes, so that nobody takes it for a language model's. */
export const marker = '[sandbox] ';

/** Block numbers the sandbox models use. */
export const blocks = { thinking: 0, text: 1, call: 2 } as const;

/** A text as the deltas of one block, one for each token. */
export function speak(
  kind: 'text' | 'thinking' | 'arguments',
  block: number,
  tokens: readonly string[],
): Delta[] {
  return tokens.map((text) => ({ kind, block, text }));
}
