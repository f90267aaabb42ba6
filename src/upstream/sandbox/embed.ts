import { createHash } from 'node:crypto';
import type { Delta } from '../../core/delta.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import { embeddingInputs } from '../embeddings.ts';
import { words } from './words.ts';

const usualDimensions = 64;

/** Makes vectors of length one from hashes: the same input always gives the same vector, and similar ones do not. */
export function* embed({ request }: UpstreamCall): Iterable<Delta> {
  const inputs = embeddingInputs(request);
  const dimensions = request.embedding?.dimensions ?? usualDimensions;
  yield { kind: 'start' };
  let tokens = 0;
  for (const [index, input] of inputs.entries()) {
    const text = typeof input === 'string' ? input : input.join(' ');
    tokens += words(text).length;
    yield { kind: 'embedding', index, vector: vectorOf(text, dimensions) };
  }
  yield { kind: 'usage', usage: { uncachedInput: tokens, output: 0 } };
  yield { kind: 'finish', reason: 'stop' };
}

function vectorOf(text: string, dimensions: number): Float32Array {
  const bytes = createHash('shake256', { outputLength: dimensions * 2 })
    .update(text)
    .digest();
  const vector = Float32Array.from({ length: dimensions }, (_, at) => bytes.readInt16LE(at * 2));
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
