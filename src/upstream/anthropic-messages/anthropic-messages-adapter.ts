import type { Adapter } from '../adapter.ts';
import { countOf } from '../lenient.ts';
import { pickMembers } from '../pick-members.ts';
import { encodeRequest } from './encode-request.ts';
import { directHosting, type MessagesHosting, vertexHosting } from './hosting.ts';
import { MessagesDecoder } from './messages-decoder.ts';
import { readFailure } from './read-failure.ts';
import { supportOf } from './support.ts';

/** The members of a body that a request for its size may have. */
const counted = [
  'model',
  'system',
  'messages',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'mcp_servers',
];

/** The Messages dialect of Anthropic and compatible providers: `POST /messages`. */
export const anthropicMessagesAdapter: Adapter = {
  ...createMessagesAdapter(directHosting),
  counting: {
    encode(call) {
      const wire = encodeRequest(call, directHosting);
      const body = pickMembers(wire.body, counted);
      return { ...wire, path: '/messages/count_tokens', body, streamed: false };
    },
    read: ({ input_tokens }) => countOf(input_tokens),
  },
};

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
