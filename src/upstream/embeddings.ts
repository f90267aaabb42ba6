import type { Delta } from '../core/delta.ts';
import { HeadgateError } from '../core/errors.ts';
import type { CanonicalRequest } from '../core/request.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import type { Decoder } from './adapter.ts';
import { usedCount } from './lenient.ts';

/** What of a request becomes one vector: a text, or tokens. */
export type EmbeddingInput = string | readonly number[];

/** The inputs of a request, in their order: one for each message. */
export function embeddingInputs({ items, embedding }: CanonicalRequest): readonly EmbeddingInput[] {
  return items.map((item, index): EmbeddingInput => {
    const tokens = embedding?.tokens?.get(index);
    if (tokens !== undefined) return tokens;
    const content = item.kind === 'message' ? item.content : [];
    return content.map((part) => ('text' in part ? part.text : '')).join('');
  });
}

/** What a provider's answer holds. */
export interface ReadVectors {
  /** By input. */
  readonly vectors: readonly (Float32Array | undefined)[];
  /** Undefined where it was not reported. */
  readonly inputTokens?: number;
}

/**
 * Reads an answer of vectors, which always comes as one body.
 * @param count How many inputs were sent: as many vectors must come.
 * @param read Reads the provider's form; what it throws counts as an unreadable answer.
 */
export function createEmbeddingDecoder(count: number, read: (answer: JsonObject) => ReadVectors): Decoder {
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
export function encodeOpenaiEmbeddings(model: string, request: CanonicalRequest): JsonObject {
  const { dimensions, inputType } = request.embedding ?? {};
  const inputs = embeddingInputs(request);
  return {
    model,
    input: inputs.length === 1 && typeof inputs[0] === 'string' ? inputs[0] : inputs,
    // A third of the bytes, and quick to read.
    encoding_format: 'base64',
    dimensions,
    input_type: inputType,
    user: request.endUser,
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
