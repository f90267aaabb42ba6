import type { UpstreamCall } from '../../ports/upstream.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import type { WireRequest } from '../adapter.ts';
import { embeddingInputs, type ReadVectors, readVector } from '../embeddings.ts';
import { usedCount } from '../lenient.ts';
import { addressFor, readCredential } from './credentials.ts';

/** Whether a model is one of Cohere's, which takes many texts in one call; Titan takes one. */
export function takesManyTexts(upstreamModel: string): boolean {
  return /(^|\.)cohere\./.test(upstreamModel);
}

/**
 * Encodes a call for vectors: `POST /model/<id>/invoke` in the form of the model's maker.
 * @throws HeadgateError `upstream_credential` for an unusable credential.
 */
export function encodeEmbeddings({ request, endpoint }: UpstreamCall): WireRequest {
  const { provider, upstreamModel } = endpoint;
  const credential = readCredential(provider);
  const texts = embeddingInputs(request).map(String);
  const { dimensions, inputType } = request.embedding ?? {};
  const body: JsonObject = takesManyTexts(upstreamModel)
    ? { texts, input_type: inputType ?? 'search_document', output_dimension: dimensions }
    : { inputText: texts[0], dimensions };
  return {
    path: `/model/${encodeURIComponent(upstreamModel)}/invoke`,
    baseUrl: addressFor(provider, credential),
    headers: {
      accept: 'application/json',
      ...(credential?.kind === 'bearer' ? { authorization: `Bearer ${credential.token}` } : {}),
    },
    body,
    streamed: false,
  };
}

/** Reads the answer of either maker. Cohere's body reports no tokens. */
export function readEmbeddings(answer: JsonObject): ReadVectors {
  const { embedding, embeddings, inputTextTokenCount: count } = answer;
  const tokens = usedCount(count);
  if (embedding !== undefined) return { vectors: [readVector(embedding)], inputTokens: tokens };
  const rows = isObject(embeddings) ? embeddings.float : embeddings;
  return { vectors: (Array.isArray(rows) ? rows : []).map(readVector) };
}
