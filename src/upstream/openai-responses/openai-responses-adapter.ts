import type { Adapter } from '../adapter.ts';
import { createEmbeddingDecoder, readOpenaiEmbeddings } from '../embeddings.ts';
import { countOf } from '../lenient.ts';
import { readFailure } from '../openai-failures.ts';
import { pickMembers } from '../pick-members.ts';
import { encodeEmbeddings } from './encode-embeddings.ts';
import { encodeRequest } from './encode-request.ts';
import { responsesProfile } from './quirks.ts';
import { ResponsesDecoder } from './responses-decoder.ts';
import { responsesSupport } from './support.ts';

/** The members of a body that a request for its size may have. */
const counted = [
  'model',
  'instructions',
  'input',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'text',
];

/** The Responses dialect of OpenAI and compatible providers: `POST /responses`, never stored. */
export const openaiResponsesAdapter: Adapter = {
  encode: (call) => (call.request.embedding === undefined ? encodeRequest(call) : encodeEmbeddings(call)),
  createDecoder: (call) =>
    call.request.embedding === undefined
      ? new ResponsesDecoder(responsesProfile(call.endpoint.provider).format)
      : createEmbeddingDecoder(call.request.items.length, readOpenaiEmbeddings),
  readFailure: (status, body) => readFailure(status, body),
  support: responsesSupport,
  counting: {
    encode(call) {
      const wire = encodeRequest(call);
      const body = pickMembers(wire.body, counted);
      return { ...wire, path: `${wire.path}/input_tokens`, body, streamed: false };
    },
    read: ({ input_tokens }) => countOf(input_tokens),
  },
};
