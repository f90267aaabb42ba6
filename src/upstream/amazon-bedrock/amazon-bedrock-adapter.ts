import type { Adapter } from '../adapter.ts';
import { createEmbeddingDecoder } from '../embeddings.ts';
import { ConverseDecoder } from './converse-decoder.ts';
import { encodeEmbeddings, readEmbeddings, takesManyTexts } from './embeddings.ts';
import { encodeRequest } from './encode-request.ts';
import { familyOf } from './model-family.ts';
import { readFailure } from './read-failure.ts';
import { signRequest } from './sign-request.ts';
import { supportOf } from './support.ts';

/** Texts of one call for vectors. */
const mostTexts = 96;

/** The Converse dialect of Amazon Bedrock: `POST /model/<id>/converse`, streamed as binary messages. */
export const amazonBedrockAdapter: Adapter = {
  encode: (call) => (call.request.embedding === undefined ? encodeRequest(call) : encodeEmbeddings(call)),
  createDecoder: ({ endpoint, request }) =>
    request.embedding === undefined
      ? new ConverseDecoder(familyOf(endpoint.upstreamModel) === 'claude')
      : createEmbeddingDecoder(request.items.length, readEmbeddings),
  mostInputs: ({ endpoint }) => (takesManyTexts(endpoint.upstreamModel) ? mostTexts : 1),
  readFailure: (status, body, _provider, headers) => readFailure(status, body, headers),
  support: supportOf,
  framing: 'aws-event-stream',
  authorize: signRequest,
};
