import type { Provider } from '../../core/catalogue.ts';
import { HeadgateError } from '../../core/errors.ts';
import { isObject, parseJson } from '../../util/json.ts';
import { textOf } from '../lenient.ts';

/** An access key that signs requests. */
export interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly region?: string;
}

/** A provider's credential: an API key sent unchanged, or an access key for signing. */
export type Credential =
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'access key'; readonly key: AccessKey }
  | undefined;

const fallbackRegion = 'us-east-1';
const regionShape = /^[a-z]{2,3}(-[a-z]+)+-\d{1,2}$/;

/**
 * Reads a provider's credential: an API key, or the JSON text of
 * `{accessKeyId, secretAccessKey, region?, sessionToken?}`.
 * @throws HeadgateError `upstream_credential` when it is JSON of another shape.
 */
export function readCredential({ apiKey, name }: Provider): Credential {
  const text = apiKey?.reveal().trim() ?? '';
  if (text === '') return undefined;
  if (!text.startsWith('{')) return { kind: 'bearer', token: text };
  const value = parseJson(text);
  const members = isObject(value) ? value : {};
  const accessKeyId = textOf(members.accessKeyId);
  const secretAccessKey = textOf(members.secretAccessKey);
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    const wanted = 'JSON with accessKeyId and secretAccessKey, or an API key';
    throw new HeadgateError('upstream_credential', `The credential of ${name} must be ${wanted}.`);
  }
  const sessionToken = textOf(members.sessionToken);
  const region = textOf(members.region);
  // The region becomes part of a host name.
  if (region !== undefined && !regionShape.test(region)) {
    throw new HeadgateError('upstream_credential', `The credential of ${name} names no region.`);
  }
  return { kind: 'access key', key: { accessKeyId, secretAccessKey, sessionToken, region } };
}

/** The region in which a provider is called: the credential's, else quirk `region`, else us-east-1. */
export function regionOf({ quirks }: Provider, credential: Credential): string {
  const own = credential?.kind === 'access key' ? credential.key.region : undefined;
  return own ?? textOf(quirks.region) ?? fallbackRegion;
}

/**
 * The base address for the region of the credential or quirk; undefined where the provider's own base address
 * applies. A credential with another region replaces that address only when it is one of the service's own hosts.
 */
export function addressFor(provider: Provider, credential: Credential): string | undefined {
  const region = regionOf(provider, credential);
  if (provider.baseUrl === undefined) return regionAddress(region);
  const own = credential?.kind === 'access key' ? credential.key.region : undefined;
  const regional = regionOfHost(URL.parse(provider.baseUrl)?.host ?? '');
  return own === undefined || regional === undefined || regional === own ? undefined : regionAddress(own);
}

/** The address of a region. */
function regionAddress(region: string): string {
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return `https://bedrock-runtime.${region}.${domain}`;
}

/** The region of an address, which a signature must name; undefined for other addresses. */
export function regionOfHost(host: string): string | undefined {
  return /^bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.(?:amazonaws|api\.aws)/.exec(host)?.[1];
}
