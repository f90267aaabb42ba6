import type { Adapter } from '../adapter.ts';
import { encodeRequest } from './encode-request.ts';
import { MessagesDecoder } from './messages-decoder.ts';
import { readFailure } from './read-failure.ts';

/** The Messages dialect of Anthropic and its look-alikes: `POST /messages`. */
export const anthropicMessagesAdapter: Adapter = {
  encode: encodeRequest,
  createDecoder: (call) => new MessagesDecoder(call.request.tools),
  readFailure,
};
