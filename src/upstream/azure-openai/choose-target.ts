import type { Provider } from '../../core/catalogue.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import { type AzureDeployment, type AzureElement, readCredential } from './read-credential.ts';

/** The dialects of this service. */
export type DialectName = 'responses' | 'chat';

/** Address and dialect of one call. */
export interface AzureTarget {
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
export function chooseTarget({ model, endpoint }: UpstreamCall): AzureTarget {
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
export function dialectsOf(provider: Provider, upstreamModel: string | undefined): ReadonlySet<DialectName> {
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
