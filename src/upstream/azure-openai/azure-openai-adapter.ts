import type { Provider } from '../../core/catalogue.ts';
import type { FeatureSupport } from '../../core/features.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import type { Adapter, WireRequest } from '../adapter.ts';
import { type AzureTarget, chooseTarget, type DialectName, dialectsOf } from './choose-target.ts';
import { addOwnCodes } from './read-failure.ts';
import { weakerSupport } from './weaker-support.ts';

/** The dialects of this service, each with its adapter. */
export type AzureDialects = Readonly<Record<DialectName, Adapter>>;

/** What differs here from the dialect's own issuer; the provider's quirks override it. */
const usualQuirks: Readonly<Record<DialectName, Readonly<Record<string, unknown>>>> = {
  responses: {
    reasoningFormat: 'azure-openai-responses-v1',
    hostedTools: ['file_search', 'code_interpreter', 'mcp', 'image_generation', 'computer'],
    omit: ['prompt', 'prompt_cache_options', 'additional_tools', 'namespace'],
  },
  chat: {
    maxTokensField: 'max_completion_tokens',
    mostStops: 4,
    audioOutput: true,
    prediction: true,
    omit: ['top_k', 'min_p', 'top_a', 'repetition_penalty', 'prompt_cache_key', 'service_tier'],
  },
};

/**
 * OpenAI's models on Azure: resources of both kinds through the v1 interface, deployments at an address of their own.
 * The body is in one of two dialects; the credential decides the address and the key.
 */
export function createAzureOpenaiAdapter(dialects: AzureDialects): Adapter {
  const settle = (call: UpstreamCall) => {
    const target = chooseTarget(call);
    return { target, dialect: dialects[target.dialect], call: retarget(call, target) };
  };
  return {
    encode(original) {
      const { target, dialect, call } = settle(original);
      const wire = dialect.encode(call);
      const key: Record<string, string> = target.apiKey === undefined ? {} : { 'api-key': target.apiKey };
      return {
        ...wire,
        baseUrl: target.baseUrl,
        path: pathOf(target, wire, original),
        headers: { ...wire.headers, ...key },
      };
    },
    createDecoder(original) {
      const { dialect, call } = settle(original);
      return dialect.createDecoder(call);
    },
    // Both dialects report failures in the same form.
    readFailure: (...refusal) => addOwnCodes(dialects.responses.readFailure(...refusal), refusal[1]),
    support(provider, upstreamModel) {
      const [first, second] = [...dialectsOf(provider, upstreamModel)].map((name): FeatureSupport => {
        return dialects[name].support(speakAs(provider, name), upstreamModel);
      });
      if (first === undefined) return dialects.responses.support(provider, upstreamModel);
      return second === undefined ? first : weakerSupport(first, second);
    },
  };
}

/** A deployment's complete address names another call. */
function pathOf({ path }: AzureTarget, wire: WireRequest, { request }: UpstreamCall): string {
  if (path === undefined) return wire.path;
  if (request.embedding === undefined) return path;
  return path.replace(/\/(chat\/completions|responses)(?=$|\?)/, '/embeddings');
}

function retarget(call: UpstreamCall, { dialect, deployment }: AzureTarget): UpstreamCall {
  const provider = speakAs(call.endpoint.provider, dialect);
  return { ...call, endpoint: { ...call.endpoint, provider, upstreamModel: deployment } };
}

const spoken = new WeakMap<Provider, Partial<Record<DialectName, Provider>>>();

/**
 * A provider as a dialect's adapter should see it: without the credential, which goes into another header.
 */
function speakAs(provider: Provider, dialect: DialectName): Provider {
  const known = spoken.get(provider) ?? {};
  spoken.set(provider, known);
  known[dialect] ??= {
    ...provider,
    apiKey: undefined,
    quirks: { ...usualQuirks[dialect], ...provider.quirks },
  };
  return known[dialect];
}
