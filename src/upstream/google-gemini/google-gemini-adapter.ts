import type { Adapter } from '../adapter.ts';
import { encodeRequest } from './encode-request.ts';
import { GeminiDecoder } from './gemini-decoder.ts';
import type { GeminiHost } from './model-traits.ts';
import { readFailure } from './read-failure.ts';
import { supportOf } from './support.ts';

/** The Gemini dialect of Google's developer interface: `POST /models/<model>:generateContent`. */
export const googleGeminiAdapter = createGeminiAdapter('ai-studio');

/**
 * The same dialect for Gemini on Vertex. Its requests contain neither address nor credential: the Vertex adapter adds
 * `baseUrl` and the authorization.
 */
export const vertexGeminiAdapter = createGeminiAdapter('vertex');

function createGeminiAdapter(host: GeminiHost): Adapter {
  return {
    encode: (call) => encodeRequest(call, host),
    createDecoder: (call) => new GeminiDecoder(call),
    readFailure,
    support: (_provider, upstreamModel) => supportOf(host, upstreamModel),
  };
}
