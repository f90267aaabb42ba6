import { createHash } from 'node:crypto';
import type { Provider } from '../../core/catalogue.ts';
import { throughOwnProxy } from '../../network/use-network.ts';
import { isObject } from '../../util/json.ts';
import { providerError } from '../wire/failure.ts';
import type { ServiceAccount } from './service-account.ts';

/** Caches access tokens of service accounts. */
export interface TokenSource {
  /**
   * A token that is valid for at least another half minute; synchronous where one is cached. A token near its end is
   * replaced in the background. Concurrent requests share one fetch; failures are not cached.
   * @throws HeadgateError `upstream_credential` when the vendor refuses the account, `provider_failed` when the
   * vendor is unreachable.
   */
  take(account: ServiceAccount, provider: Provider): string | Promise<string>;
  /** Drops the cached token of an account because it is no longer accepted. */
  forget(account: ServiceAccount): void;
}

interface Token {
  readonly text: string;
  /** Unix milliseconds. */
  readonly expires: number;
}

interface Entry {
  token?: Token;
  fetching?: Promise<Token>;
}

const scope = 'https://www.googleapis.com/auth/cloud-platform';
/** How long before its end a token is replaced, and the validity that a returned token must have left. */
const renewal = 5 * 60_000;
const minValidity = 30_000;
const fetchTimeout = 20_000;
/** Above this number of entries, expired ones are removed. */
const manyEntries = 100;

/**
 * Creates a source that signs its requests and sends them to each account's own token address.
 * @param now Unix milliseconds.
 */
export function createTokenSource(now: () => number = Date.now): TokenSource {
  const entries = new Map<string, Entry>();

  function entryOf(account: ServiceAccount): Entry {
    const key = keyOf(account);
    const known = entries.get(key);
    if (known !== undefined) return known;
    if (entries.size >= manyEntries) dropExpired();
    const entry: Entry = {};
    entries.set(key, entry);
    return entry;
  }

  function dropExpired(): void {
    for (const [key, { token, fetching }] of entries) {
      if (fetching === undefined && (token?.expires ?? 0) <= now()) entries.delete(key);
    }
  }

  return {
    take(account, provider) {
      const entry = entryOf(account);
      const holds = (entry.token?.expires ?? 0) - now();
      if (entry.token !== undefined && holds > renewal) return entry.token.text;
      entry.fetching ??= renew(entry, account, provider, now);
      if (entry.token === undefined || holds < minValidity) return entry.fetching.then(({ text }) => text);
      // The cached token still works; a later caller will meet the failure.
      entry.fetching.catch(() => undefined);
      return entry.token.text;
    },
    forget(account) {
      const entry = entries.get(keyOf(account));
      if (entry !== undefined) entry.token = undefined;
    },
  };
}

async function renew(
  entry: Entry,
  account: ServiceAccount,
  provider: Provider,
  now: () => number,
): Promise<Token> {
  try {
    entry.token = await fetchToken(account, provider, now);
    return entry.token;
  } finally {
    entry.fetching = undefined;
  }
}

async function fetchToken(account: ServiceAccount, provider: Provider, now: () => number): Promise<Token> {
  const requestedAt = now();
  const assertion = await signAssertion(account, provider, requestedAt);
  const answer = await ask(account, provider, assertion);
  const body: unknown = await answer.json().catch(() => undefined);
  const text = isObject(body) ? body.access_token : undefined;
  if (typeof text === 'string' && text !== '' && answer.ok) {
    const seconds = isObject(body) && typeof body.expires_in === 'number' ? body.expires_in : 3600;
    return { text, expires: requestedAt + seconds * 1000 };
  }
  if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) throw refused(provider);
  throw providerError(provider, 'provider_failed', `${provider.name} gave no access token.`);
}

/** The grant of RFC 7523. Sends nothing but the signed assertion and follows no redirect. */
async function ask({ tokenUri }: ServiceAccount, provider: Provider, assertion: string): Promise<Response> {
  try {
    return await fetch(tokenUri, {
      ...(await throughOwnProxy(tokenUri, provider.proxy)),
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }),
      redirect: 'error',
      signal: AbortSignal.timeout(fetchTimeout),
    });
  } catch (cause) {
    const text = `${provider.name} could not be asked for an access token.`;
    throw providerError(provider, 'provider_failed', text, cause);
  }
}

async function signAssertion(account: ServiceAccount, provider: Provider, now: number): Promise<string> {
  // Loaded here because most installations never need it.
  const { importPKCS8, SignJWT } = await import('jose');
  const issued = Math.floor(now / 1000);
  try {
    const key = await importPKCS8(account.privateKey, 'RS256');
    return await new SignJWT({ scope })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: account.privateKeyId })
      .setIssuer(account.clientEmail)
      .setAudience(account.tokenUri)
      .setIssuedAt(issued)
      .setExpirationTime(issued + 3600)
      .sign(key);
  } catch (cause) {
    throw refused(provider, cause);
  }
}

function refused(provider: Provider, cause?: unknown): Error {
  const text = `${provider.name} did not accept the credential used for it.`;
  return providerError(provider, 'upstream_credential', text, cause);
}

function keyOf({ clientEmail, privateKey, tokenUri }: ServiceAccount): string {
  return createHash('sha256')
    .update(JSON.stringify([clientEmail, privateKey, tokenUri]))
    .digest('base64');
}
