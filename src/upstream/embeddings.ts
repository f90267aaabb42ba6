import type { Delta } from '../core/delta.ts';
import { HeadgateError } from '../core/errors.ts';
import type { CanonicalEmbedding } from '../core/request.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import type { CallForm, Decoder, EmbeddingCalls, ReadVectors } from './adapter.ts';
import { usedCount } from './lenient.ts';

/** Calls of a dialect for vectors as the sender makes them: as many vectors must come as there are inputs. */
export function formOfVectors({ encode, read }: EmbeddingCalls): CallForm<CanonicalEmbedding> {
  return { encode, createDecoder: ({ request }) => createVectorDecoder(request.inputs.length, read) };
}

function createVectorDecoder(count: number, read: EmbeddingCalls['read']): Decoder {
  return {
    finished: false,
    decode: () => {
      throw incomplete();
    },
    close: () => {
      throw incomplete();
    },
    decodeWhole(answer, into: Delta[]) {
      const { vectors, inputTokens } = read(answer);
      if (vectors.length !== count) throw incomplete();
      into.push({ kind: 'start' });
      for (const [index, vector] of vectors.entries()) {
        if (vector === undefined || vector.length === 0) throw incomplete();
        into.push({ kind: 'embedding', index, vector });
      }
      into.push({ kind: 'usage', usage: { uncachedInput: inputTokens, output: 0 } });
      into.push({ kind: 'finish', reason: 'stop' });
    },
  };
}

function incomplete(): HeadgateError {
  return new HeadgateError('provider_failed', 'The provider did not send a vector for each input.');
}

/** A vector as numbers or as the base64 of little-endian floats; undefined for anything else. */
export function readVector(value: unknown): Float32Array | undefined {
  if (typeof value === 'string') {
    const bytes = Buffer.from(value, 'base64');
    if (bytes.length % 4 !== 0) return undefined;
    // A copy, because floats need an aligned place.
    return new Float32Array(new Uint8Array(bytes).buffer);
  }
  if (!Array.isArray(value) || !value.every((number) => typeof number === 'number')) return undefined;
  return Float32Array.from(value as readonly number[]);
}

/** The body of a call in the form that OpenAI's interface has for vectors, and most others imitate. */
export function encodeOpenaiEmbeddings(
  model: string,
  { inputs, dimensions, inputType, endUser }: CanonicalEmbedding,
): JsonObject {
  return {
    model,
    input: inputs.length === 1 && typeof inputs[0] === 'string' ? inputs[0] : inputs,
    // A third of the bytes, and quick to read.
    encoding_format: 'base64',
    dimensions,
    input_type: inputType,
    user: endUser,
  };
}

/** Reads an answer in that form. Vectors are sorted by their index. */
export function readOpenaiEmbeddings({ data, usage }: JsonObject): ReadVectors {
  const vectors: (Float32Array | undefined)[] = [];
  for (const [place, entry] of (Array.isArray(data) ? data : []).entries()) {
    if (!isObject(entry)) continue;
    vectors[typeof entry.index === 'number' ? entry.index : place] = readVector(entry.embedding);
  }
  const reported = isObject(usage) ? (usage.prompt_tokens ?? usage.total_tokens) : undefined;
  return { vectors, inputTokens: usedCount(reported) };
}
