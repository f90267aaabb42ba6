import type { UpstreamCall } from '../../ports/upstream.ts';
import type { WireRequest } from '../adapter.ts';
import { encodeOpenaiEmbeddings } from '../embeddings.ts';

/** Encodes a call for vectors: `POST /embeddings`. */
export function encodeEmbeddings({ request, endpoint }: UpstreamCall): WireRequest {
  const key = endpoint.provider.apiKey?.reveal();
  return {
    path: '/embeddings',
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    body: encodeOpenaiEmbeddings(endpoint.upstreamModel, request),
    streamed: false,
  };
}
