import type { Provider } from '../../core/catalogue.ts';
import type { AnyCall, UpstreamCall } from '../../ports/upstream.ts';
import { isObject, parseJson } from '../../util/json.ts';
import type { Adapter, VectorAdapter, WireRequest } from '../adapter.ts';
import { readServiceAccount } from './service-account.ts';
import type { TokenSource } from './token-source.ts';

/**
 * The dialects of models on Vertex. Their requests have no credential, and paths that follow
 * `.../projects/<project>/locations/<location>`.
 */
export interface VertexDialects {
  readonly gemini: VectorAdapter;
  readonly claude: Adapter;
}

/**
 * Models on Google's Vertex AI: Gemini, and Claude in its maker's dialect. Project and region come from the
 * service-account key, which is the provider's credential. The region decides the host, unless the configuration
 * names a base address.
 */
export function createGoogleVertexAdapter({ gemini, claude }: VertexDialects, tokens: TokenSource): Adapter {
  const dialectOf = (upstreamModel: string) => (/(^|\/)claude/i.test(upstreamModel) ? claude : gemini);
  const dialectFor = ({ endpoint }: UpstreamCall) => dialectOf(endpoint.upstreamModel);
  const addressed = (wire: WireRequest, { endpoint }: AnyCall) => {
    return { ...wire, baseUrl: baseUrlOf(endpoint.provider) };
  };
  return {
    encode: (call) => addressed(dialectFor(call).encode(call), call),
    embedding: {
      ...gemini.embedding,
      encode: (call) => addressed(gemini.embedding.encode(call), call),
    },
    createDecoder: (call) => dialectFor(call).createDecoder(call),
    readFailure: (...refusal) => (hasErrorType(refusal[1]) ? claude : gemini).readFailure(...refusal),
    support: (provider, upstreamModel = '') => dialectOf(upstreamModel).support(provider, upstreamModel),
    authorize(_request, { endpoint: { provider } }) {
      const token = tokens.take(readServiceAccount(provider), provider);
      return typeof token === 'string' ? bearer(token) : token.then(bearer);
    },
    onUnauthorized: ({ endpoint: { provider } }) => tokens.forget(readServiceAccount(provider)),
  };
}

function baseUrlOf(provider: Provider): string {
  const { projectId, region } = readServiceAccount(provider);
  const base = provider.baseUrl ?? `https://${hostOf(region)}/v1`;
  return `${base}/projects/${encodeURIComponent(projectId)}/locations/${region}`;
}

function hostOf(region: string): string {
  if (region === 'global') return 'aiplatform.googleapis.com';
  const isMulti = region === 'us' || region === 'eu';
  return isMulti ? `aiplatform.${region}.rep.googleapis.com` : `${region}-aiplatform.googleapis.com`;
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

/** Failures in Claude's own dialect name a type, those of the platform a status. */
function hasErrorType(body: string): boolean {
  const value = parseJson(body);
  return isObject(value) && isObject(value.error) && typeof value.error.type === 'string';
}
