import type { Adapter } from '../adapter.ts';
import { createEmbeddingDecoder } from '../embeddings.ts';
import { countOf } from '../lenient.ts';
import { encodeEmbeddings, readEmbeddings } from './embeddings.ts';
import { encodeRequest } from './encode-request.ts';
import { GeminiDecoder } from './gemini-decoder.ts';
import type { GeminiHost } from './model-traits.ts';
import { readFailure } from './read-failure.ts';
import { supportOf } from './support.ts';

/** The Gemini dialect of Google's developer interface: `POST /models/<model>:generateContent`. */
export const googleGeminiAdapter: Adapter = {
  ...createGeminiAdapter('ai-studio'),
  counting: {
    encode(call) {
      const wire = encodeRequest(call, 'ai-studio');
      const [model = ''] = wire.path.slice(1).split(':');
      const body = { generateContentRequest: { model, ...wire.body } };
      return { ...wire, path: `/${model}:countTokens`, body, streamed: false };
    },
    read: ({ totalTokens }) => countOf(totalTokens),
  },
};

/**
 * The same dialect for Gemini on Vertex. Its requests contain neither address nor credential: the Vertex adapter adds
 * `baseUrl` and the authorization.
 */
export const vertexGeminiAdapter = createGeminiAdapter('vertex');

/** Inputs of one call for vectors. */
const mostInputs = 100;

function createGeminiAdapter(host: GeminiHost): Adapter {
  return {
    encode: (call) =>
      call.request.embedding === undefined ? encodeRequest(call, host) : encodeEmbeddings(call, host),
    createDecoder: (call) =>
      call.request.embedding === undefined
        ? new GeminiDecoder(call)
        : createEmbeddingDecoder(call.request.items.length, readEmbeddings),
    mostInputs: () => mostInputs,
    readFailure,
    support: (_provider, upstreamModel) => supportOf(host, upstreamModel),
  };
}
