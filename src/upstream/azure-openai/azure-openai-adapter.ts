import type { Provider } from '../../core/catalogue.ts';
import type { ErrorCode } from '../../core/errors.ts';
import { type Feature, type FeatureSupport, features, type Support } from '../../core/features.ts';
import { samplersOfEngines } from '../../core/parameters.ts';
import type { CanonicalRequest } from '../../core/request.ts';
import type { AnyCall, UpstreamCall } from '../../ports/upstream.ts';
import { isObject, parseJson } from '../../util/json.ts';
import { wordTable } from '../../util/word-table.ts';
import type { Adapter, ReportedFailure, VectorAdapter, WireRequest } from '../adapter.ts';
import { textOf } from '../lenient.ts';
import { type AzureDeployment, type AzureElement, readCredential } from './read-credential.ts';

/** The dialects of this service. */
type DialectName = 'responses' | 'chat';

/** Address and dialect of one call. */
interface AzureTarget {
  readonly dialect: DialectName;
  readonly apiKey?: string;
  readonly baseUrl?: string;
  /** Set where the address is complete; otherwise the dialect's own path is appended. */
  readonly path?: string;
  /** The deployment's name, sent as the model. */
  readonly deployment: string;
}

const elements = new WeakMap<Provider, readonly AzureElement[]>();

/**
 * The deployment made for the model, else the first resource (docs/spec/credentials.md#formats).
 * @throws HeadgateError `upstream_credential` when the form of the credential is unknown or it has nothing for the
 * model.
 */
function chooseTarget({ model, endpoint }: AnyCall): AzureTarget {
  const { provider, upstreamModel } = endpoint;
  const known = elementsOf(provider);
  const slugs = [model.id, model.canonicalSlug];
  const own = known.find((element) => element.kind === 'deployment' && slugs.includes(element.modelSlug));
  if (own?.kind === 'deployment') return deploymentTarget(own, upstreamModel);
  const resource = known.find((element) => element.kind === 'resource');
  return {
    dialect: dialectOf(provider, upstreamModel),
    apiKey: resource?.apiKey,
    baseUrl: resource?.baseUrl,
    deployment: upstreamModel,
  };
}

/** The dialects in which calls to a provider may be made. */
function dialectsOf(provider: Provider, upstreamModel: string | undefined): ReadonlySet<DialectName> {
  const usual = dialectOf(provider, upstreamModel);
  const spoken = readableElements(provider).map((element) => {
    return element.kind === 'deployment' ? element.dialect : usual;
  });
  return new Set(spoken.length === 0 ? [usual] : spoken);
}

/** An unusable credential makes calls fail, but not the question which features they may use. */
function readableElements(provider: Provider): readonly AzureElement[] {
  try {
    return elementsOf(provider);
  } catch {
    return [];
  }
}

function elementsOf(provider: Provider): readonly AzureElement[] {
  const known = elements.get(provider);
  if (known !== undefined) return known;
  const text = provider.apiKey?.reveal();
  const read = text === undefined ? [] : readCredential(text, provider.baseUrl);
  elements.set(provider, read);
  return read;
}

/**
 * Models of the v1 interface use the responses dialect, unless quirk `api` is `chat` or quirk `chatModels` lists the
 * deployment: models of other makers know only chat completions.
 */
function dialectOf({ quirks }: Provider, upstreamModel: string | undefined): DialectName {
  const listed = Array.isArray(quirks.chatModels) && quirks.chatModels.includes(upstreamModel);
  return quirks.api === 'chat' || listed ? 'chat' : 'responses';
}

function deploymentTarget(
  { dialect, origin, path, apiKey, modelId }: AzureDeployment,
  upstreamModel: string,
): AzureTarget {
  return { dialect, apiKey, baseUrl: origin, path, deployment: modelId ?? upstreamModel };
}

/** Codes of this service that are more precise than their status. */
const specificCodes = wordTable<ErrorCode>({
  content_filter: 'upstream_policy',
  ResponsibleAIPolicyViolation: 'upstream_policy',
  DeploymentNotFound: 'upstream_not_found',
  // The deployment exists, but its model does not support the dialect of the call.
  OperationNotSupported: 'upstream_not_found',
  unknown_model: 'upstream_not_found',
  EngineOverloaded: 'provider_overloaded',
  NoCapacity: 'provider_overloaded',
});

/** Adds the codes of this service to what a dialect's adapter read from a refusal. */
function addOwnCodes(found: ReportedFailure, body: string): ReportedFailure {
  const value = parseJson(body);
  const error = isObject(value) && isObject(value.error) ? value.error : {};
  const inner = isObject(error.innererror) ? textOf(error.innererror.code) : undefined;
  const own = [textOf(error.code), inner].flatMap((code) => specificCodes[code ?? ''] ?? []).at(0);
  return { ...found, code: own ?? found.code };
}

/** From the weakest support to the strongest. */
const ranks = ['refused', 'dropped', 'emulated', 'adapted', 'native'] as const;

/**
 * The support that two dialects have in common: the weaker one for each feature. A provider that may answer in either
 * gets only what both support.
 */
function weakerSupport(left: FeatureSupport, right: FeatureSupport): FeatureSupport {
  const weaker = (Object.keys(features) as Feature[]).map((feature) => {
    const [one, other] = [left[feature], right[feature]];
    return [feature, rankOf(one) <= rankOf(other) ? one : other] as const;
  });
  return Object.assign({}, left, Object.fromEntries(weaker));
}

function rankOf(support: Support): number {
  return ranks.findIndex((rank) => (typeof support === 'string' ? support === rank : rank in support));
}

/** The dialects of this service, each with its adapter. */
export type AzureDialects = Readonly<Record<DialectName, VectorAdapter>>;

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
    omit: [...samplersOfEngines, 'prompt_cache_key', 'service_tier'],
  },
};

/**
 * OpenAI's models on Azure: resources of both kinds through the v1 interface, deployments at an address of their own.
 * The body is in one of two dialects; the credential decides the address and the key.
 */
export function createAzureOpenaiAdapter(dialects: AzureDialects): Adapter {
  const settle = <Wanted extends CanonicalRequest>(call: UpstreamCall<Wanted>) => {
    const target = chooseTarget(call);
    return { target, dialect: dialects[target.dialect], call: retarget(call, target) };
  };
  return {
    encode(original) {
      const { target, dialect, call } = settle(original);
      return addressed(target, dialect.encode(call), target.path);
    },
    embedding: {
      encode(original) {
        const { target, dialect, call } = settle(original);
        // A deployment's complete address names another call.
        const path = target.path?.replace(/\/(chat\/completions|responses)(?=$|\?)/, '/embeddings');
        return addressed(target, dialect.embedding.encode(call), path);
      },
      // Both dialects answer in the same form.
      read: dialects.responses.embedding.read,
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

/** A call at the address of its target. @param path In place of the call's own; undefined leaves that. */
function addressed(
  { apiKey, baseUrl }: AzureTarget,
  wire: WireRequest,
  path: string | undefined,
): WireRequest {
  const headers = apiKey === undefined ? wire.headers : { ...wire.headers, 'api-key': apiKey };
  return { ...wire, baseUrl, path: path ?? wire.path, headers };
}

function retarget<Call extends AnyCall>(call: Call, { dialect, deployment }: AzureTarget): Call {
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
