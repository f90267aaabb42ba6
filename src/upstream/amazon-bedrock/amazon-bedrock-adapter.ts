import type { Adapter } from '../adapter.ts';
import { ConverseDecoder } from './converse-decoder.ts';
import { encodeRequest } from './encode-request.ts';
import { familyOf } from './model-family.ts';
import { readFailure } from './read-failure.ts';
import { signRequest } from './sign-request.ts';
import { supportOf } from './support.ts';

/** The Converse dialect of Amazon Bedrock: `POST /model/<id>/converse`, streamed as binary messages. */
export const amazonBedrockAdapter: Adapter = {
  encode: encodeRequest,
  createDecoder: ({ endpoint }) => new ConverseDecoder(familyOf(endpoint.upstreamModel) === 'claude'),
  readFailure: (status, body, _provider, headers) => readFailure(status, body, headers),
  support: supportOf,
  framing: 'aws-event-stream',
  authorize: signRequest,
};
