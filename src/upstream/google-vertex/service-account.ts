import type { Provider } from '../../core/catalogue.ts';
import type { HeadgateError } from '../../core/errors.ts';
import { isObject, parseJson } from '../../util/json.ts';
import type { Secret } from '../../util/secret.ts';
import { textOf } from '../lenient.ts';
import { providerError } from '../wire/failure.ts';

/** The members of a service-account key that the gateway uses (docs/spec/credentials.md#formats). */
export interface ServiceAccount {
  readonly projectId: string;
  readonly clientEmail: string;
  /** PEM of PKCS #8. */
  readonly privateKey: string;
  readonly privateKeyId?: string;
  readonly tokenUri: string;
  /** `global`, a multi-region (`us`, `eu`) or a location such as `europe-west4`. */
  readonly region: string;
}

/**
 * The vendor's token hosts. A credential may be a customer's, so its token address must be on one of these.
 */
const tokenHosts: ReadonlySet<string> = new Set([
  'oauth2.googleapis.com',
  'www.googleapis.com',
  'accounts.google.com',
]);

const regionShape = /^(global|us|eu|[a-z]+-[a-z]+\d+)$/;

/** Credentials are frozen with the configuration, so each is parsed once. */
const known = new WeakMap<Secret, ServiceAccount>();

/**
 * Reads the service account in a provider's credential. Reads the quirks `region`, the default where the key names
 * none (`global`), and `tokenOrigins`, further origins that may issue tokens, such as `http://127.0.0.1:9000`.
 * @throws HeadgateError `upstream_credential` when the credential is not a service-account key, or names a region or
 * token address that cannot be the vendor's.
 */
export function readServiceAccount(provider: Provider): ServiceAccount {
  const { apiKey } = provider;
  if (apiKey === undefined) throw unusable(provider, 'a service-account key is missing');
  const kept = known.get(apiKey);
  if (kept !== undefined) return kept;
  const account = parseServiceAccount(apiKey.reveal(), provider);
  known.set(apiKey, account);
  return account;
}

function parseServiceAccount(text: string, provider: Provider): ServiceAccount {
  const value = parseJson(text);
  if (!isObject(value) || value.type !== 'service_account') {
    throw unusable(provider, 'it is no service-account key');
  }
  const projectId = textOf(value.project_id);
  const clientEmail = textOf(value.client_email);
  const privateKey = textOf(value.private_key);
  const tokenUri = textOf(value.token_uri);
  if (!projectId || !clientEmail || !privateKey || !tokenUri) throw unusable(provider, 'a member is missing');
  const region = textOf(value.region) ?? textOf(provider.quirks.region) ?? 'global';
  if (!regionShape.test(region)) throw unusable(provider, 'its region is none of the provider');
  if (!mayAsk(tokenUri, provider)) throw unusable(provider, 'its token address is none of the provider');
  return { projectId, clientEmail, privateKey, privateKeyId: textOf(value.private_key_id), tokenUri, region };
}

function mayAsk(tokenUri: string, { quirks }: Provider): boolean {
  const url = URL.parse(tokenUri);
  if (url === null || url.username !== '' || url.password !== '') return false;
  if (Array.isArray(quirks.tokenOrigins) && quirks.tokenOrigins.includes(url.origin)) return true;
  return url.protocol === 'https:' && url.port === '' && tokenHosts.has(url.hostname);
}

function unusable(provider: Provider, why: string): HeadgateError {
  const text = `The credential used for ${provider.name} cannot be used: ${why}.`;
  return providerError(provider, 'upstream_credential', text);
}
