import type { Adapter } from '../adapter.ts';
import { encodeRequest } from './encode-request.ts';
import { readFailure } from './read-failure.ts';
import { reasoningFormat } from './reasoning-format.ts';
import { ResponsesDecoder } from './responses-decoder.ts';

/** The Responses dialect of OpenAI and its look-alikes: `POST /responses`, never stored. */
export const openaiResponsesAdapter: Adapter = {
  encode: encodeRequest,
  createDecoder: (call) => new ResponsesDecoder(reasoningFormat(call.endpoint.provider)),
  readFailure,
};
