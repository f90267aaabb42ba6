import type { Adapter } from '../adapter.ts';
import { encodeRequest } from './encode-request.ts';
import { directHosting, type MessagesHosting, vertexHosting } from './hosting.ts';
import { MessagesDecoder } from './messages-decoder.ts';
import { readFailure } from './read-failure.ts';
import { supportOf } from './support.ts';

/** The Messages dialect of Anthropic and compatible providers: `POST /messages`. */
export const anthropicMessagesAdapter = createMessagesAdapter(directHosting);

/**
 * The same dialect for Claude on Vertex. Its requests contain neither address nor credential: the Vertex adapter adds
 * `baseUrl` and the authorization.
 */
export const vertexMessagesAdapter = createMessagesAdapter(vertexHosting);

function createMessagesAdapter(hosting: MessagesHosting): Adapter {
  return {
    encode: (call) => encodeRequest(call, hosting),
    createDecoder: () => new MessagesDecoder(),
    readFailure,
    support: (provider, upstreamModel) => supportOf(provider, hosting, upstreamModel),
  };
}
