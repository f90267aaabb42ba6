import type { UpstreamCall } from '../../ports/upstream.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import type { WireRequest } from '../adapter.ts';
import { embeddingInputs, type ReadVectors, readVector } from '../embeddings.ts';
import { usedCount } from '../lenient.ts';
import { modelPath } from './encode-request.ts';
import type { GeminiHost } from './model-traits.ts';

/**
 * Encodes a call for vectors: `batchEmbedContents` of the developer interface, `predict` on Vertex. Tokens and unknown
 * purposes never get here.
 */
export function encodeEmbeddings({ request, endpoint }: UpstreamCall, host: GeminiHost): WireRequest {
  const { upstreamModel, provider } = endpoint;
  const path = modelPath(upstreamModel, host);
  const texts = embeddingInputs(request).map(String);
  const { dimensions, inputType } = request.embedding ?? {};
  if (host === 'vertex') {
    const instances = texts.map((content) => ({ content, task_type: inputType }));
    const parameters = { outputDimensionality: dimensions };
    return { path: `/${path}:predict`, headers: {}, body: { instances, parameters }, streamed: false };
  }
  const requests = texts.map((text) => ({
    model: path,
    content: { parts: [{ text }] },
    taskType: inputType,
    outputDimensionality: dimensions,
  }));
  const key = provider.apiKey?.reveal();
  return {
    path: `/${path}:batchEmbedContents`,
    headers: key === undefined ? {} : { 'x-goog-api-key': key },
    body: { requests },
    streamed: false,
  };
}

/** Reads the answer of either form. The developer interface reports no tokens. */
export function readEmbeddings({ embeddings, predictions }: JsonObject): ReadVectors {
  if (Array.isArray(embeddings)) {
    return { vectors: embeddings.map((one) => readVector(isObject(one) ? one.values : undefined)) };
  }
  const rows = (Array.isArray(predictions) ? predictions : []).map((one) =>
    isObject(one) && isObject(one.embeddings) ? one.embeddings : {},
  );
  const counts = rows.map(({ statistics }) =>
    usedCount(isObject(statistics) ? statistics.token_count : undefined),
  );
  const isReported = counts.length > 0 && counts.every((count) => count !== undefined);
  return {
    vectors: rows.map(({ values }) => readVector(values)),
    inputTokens: isReported ? (counts as number[]).reduce((sum, count) => sum + count, 0) : undefined,
  };
}
