import { HeadgateError } from '../../core/errors.ts';
import { isObject, parseJson } from '../../util/json.ts';
import { textOf } from '../lenient.ts';

/** A resource: one host that serves every model deployed there. */
export interface AzureResource {
  readonly kind: 'resource';
  readonly apiKey: string;
  /** The address of its v1 interface, without a trailing slash. */
  readonly baseUrl: string;
}

/** One deployment with an address of its own, for one model of this gateway. */
export interface AzureDeployment {
  readonly kind: 'deployment';
  readonly apiKey: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path and query of a call, with the version. */
  readonly path: string;
  readonly dialect: 'responses' | 'chat';
  /** The deployment's name; the endpoint's own name for the model when the credential gives none. */
  readonly modelId?: string;
  /** The slug clients use for the model. */
  readonly modelSlug: string;
}

/** One element of a credential. */
export type AzureElement = AzureResource | AzureDeployment;

const hostSuffixes = { openai: 'openai.azure.com', ai_foundry: 'services.ai.azure.com' } as const;
const resourceName = /^[a-z0-9][a-z0-9-]{0,62}$/i;
const ownHosts =
  /^[a-z0-9-]+(\.[a-z0-9-]+)*\.(openai\.azure\.com|services\.ai\.azure\.com|cognitiveservices\.azure\.com)$/i;

/**
 * Parses a credential (docs/spec/credentials.md#formats): a JSON array of resources and deployments, or one of them. A
 * bare key belongs to the provider's own base address.
 * @param baseUrl The configured address; deployments may be on its host or on the service's own hosts.
 * @throws HeadgateError `upstream_credential` when the text has neither form; the message contains nothing of it.
 */
export function readCredential(text: string, baseUrl: string | undefined): readonly AzureElement[] {
  const key = text.trim();
  if (!key.startsWith('[') && !key.startsWith('{')) {
    if (baseUrl === undefined) throw unusable('a bare key needs the provider to have a base_url');
    return [{ kind: 'resource', apiKey: key, baseUrl: versionedAddress(baseUrl) }];
  }
  const value = parseJson(key);
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (entries.length === 0) throw unusable('it is empty');
  return entries.map((entry) => readElement(entry, baseUrl));
}

function readElement(entry: unknown, baseUrl: string | undefined): AzureElement {
  const element = isObject(entry) ? entry : {};
  const apiKey = textOf(element.api_key);
  if (apiKey === undefined) throw unusable('an element lacks api_key');
  return element.endpoint_url === undefined
    ? readResource(element, apiKey)
    : readDeployment(element, apiKey, baseUrl);
}

type Element = { readonly [name: string]: unknown };

function readResource(element: Element, apiKey: string): AzureResource {
  const name = textOf(element.resource_name) ?? '';
  const type = textOf(element.resource_type) ?? 'openai';
  if (!resourceName.test(name)) throw unusable('an element has no usable resource_name');
  if (type !== 'openai' && type !== 'ai_foundry') throw unusable('resource_type is openai or ai_foundry');
  return { kind: 'resource', apiKey, baseUrl: `https://${name}.${hostSuffixes[type]}/openai/v1` };
}

function readDeployment(element: Element, apiKey: string, baseUrl: string | undefined): AzureDeployment {
  const url = URL.parse(textOf(element.endpoint_url) ?? '');
  const modelSlug = textOf(element.model_slug);
  if (url === null || modelSlug === undefined)
    throw unusable('a deployment needs endpoint_url and model_slug');
  // A key must not be sent to a host that only the credential's text names.
  const plain = url.port === '' && url.username === '' && url.password === '';
  const isOwn = plain && url.protocol === 'https:' && ownHosts.test(url.hostname);
  if (!isOwn && url.origin !== URL.parse(baseUrl ?? '')?.origin) {
    throw unusable("endpoint_url is neither at the service nor at the provider's base_url");
  }
  return { kind: 'deployment', apiKey, ...rebuilt(url), modelId: textOf(element.model_id), modelSlug };
}

const deploymentPath =
  /^\/openai\/deployments\/([A-Za-z0-9][A-Za-z0-9._-]{0,63})\/(chat\/completions|responses)$/;
const versionedPath = /^\/openai\/v1\/(chat\/completions|responses)$/;
const apiVersion = /^(\d{4}-\d{2}-\d{2}(-preview)?|preview|v1)$/;

/**
 * Rebuilds the address of a deployment from its allowed parts: origin, name of the deployment and
 * `api-version`. Otherwise the owner of a credential could make the gateway call any path of that origin.
 */
function rebuilt(url: URL): Pick<AzureDeployment, 'origin' | 'path' | 'dialect'> {
  const path = url.pathname.replace(/\/$/, '');
  const [, name, call] = deploymentPath.exec(path) ?? [];
  const spoken = call ?? versionedPath.exec(path)?.[1];
  const version = url.searchParams.get('api-version');
  const others = [...url.searchParams.keys()].filter((key) => key !== 'api-version');
  const isKnown = spoken !== undefined && others.length === 0 && url.hash === '';
  if (!isKnown || (version === null ? name !== undefined : !apiVersion.test(version))) {
    throw unusable(
      'endpoint_url must end in /openai/deployments/NAME/chat/completions?api-version=VERSION, with no other parameter',
    );
  }
  const base = name === undefined ? '/openai/v1' : `/openai/deployments/${name}`;
  return {
    origin: url.origin,
    path: `${base}/${spoken}${version === null ? '' : `?api-version=${version}`}`,
    dialect: spoken === 'responses' ? 'responses' : 'chat',
  };
}

/** The v1 interface has one path, which the plain address of a resource omits. */
function versionedAddress(baseUrl: string): string {
  const address = URL.parse(baseUrl);
  return address?.pathname === '/' ? `${address.origin}/openai/v1` : baseUrl;
}

function unusable(problem: string): HeadgateError {
  return new HeadgateError('upstream_credential', `The credential cannot be used: ${problem}.`);
}
