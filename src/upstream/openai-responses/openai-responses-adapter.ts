import type { Adapter } from '../adapter.ts';
import { readFailure } from '../openai-failures.ts';
import { encodeRequest } from './encode-request.ts';
import { responsesProfile } from './quirks.ts';
import { ResponsesDecoder } from './responses-decoder.ts';
import { responsesSupport } from './support.ts';

/** The Responses dialect of OpenAI and compatible providers: `POST /responses`, never stored. */
export const openaiResponsesAdapter: Adapter = {
  encode: encodeRequest,
  createDecoder: (call) => new ResponsesDecoder(responsesProfile(call.endpoint.provider).format),
  readFailure: (status, body) => readFailure(status, body),
  support: responsesSupport,
};
