import type { Delta } from '../../src/core/delta.ts';
import { HeadgateError } from '../../src/core/errors.ts';
import type { Upstream, UpstreamCall } from '../../src/ports/upstream.ts';

/** What an upstream said, and how it ended. */
export interface Heard {
  readonly deltas: Delta[];
  readonly batches: number;
  /** What it threw; undefined when it came to its end. */
  readonly thrown?: unknown;
}

/** Reads an upstream to its end or failure. */
export async function listen(upstream: Upstream, call: UpstreamCall): Promise<Heard> {
  const deltas: Delta[] = [];
  let batches = 0;
  try {
    for await (const batch of upstream.stream(call)) {
      for (const delta of batch) deltas.push(delta);
      batches += 1;
    }
    return { deltas, batches };
  } catch (thrown) {
    return { deltas, batches, thrown };
  }
}

/** The error an upstream failed with. @throws when it did not fail with a HeadgateError. */
export async function failureOf(upstream: Upstream, call: UpstreamCall): Promise<HeadgateError> {
  const { thrown } = await listen(upstream, call);
  if (thrown instanceof HeadgateError) return thrown;
  throw new Error('The upstream did not fail as it should.', { cause: thrown });
}

/** All text deltas joined. */
export function textOf(deltas: readonly Delta[]): string {
  return deltas.map((delta) => (delta.kind === 'text' ? delta.text : '')).join('');
}
