import type { Provider, Timeouts } from '../core/catalogue.ts';
import { usualTimeouts } from '../core/thinking-time.ts';
import { camelCased } from '../util/camel-case.ts';
import { type Environment, environmentValue } from '../util/environment.ts';
import { Secret } from '../util/secret.ts';
import type { ProviderSettings } from './catalogue-schema.ts';
import { findCredential } from './find-credential.ts';
import type { ProviderRow } from './provider-row.ts';
import { findProviderRow, providerRows } from './provider-rows.ts';
import { readProviderListing } from './read-listing.ts';
import { discoverable } from './vocabulary.ts';

const ollamaPort = 11434;

/**
 * The enabled providers, by slug: the configured ones, the sandbox, and every built-in one whose variable is set,
 * except those with `enabled: false`. The configuration overrides the facts of a built-in provider.
 * @param served Slugs of providers that a configured model names.
 */
export function buildProviders(
  settings: Readonly<Record<string, ProviderSettings>>,
  environment: Environment,
  served: ReadonlySet<string> = new Set(),
): ReadonlyMap<string, Provider> {
  const builtIn = providerRows
    .filter((row) => row.slug === 'sandbox' || isFound(row, environment))
    .map(({ slug }) => slug);
  const providers = new Map<string, Provider>();
  for (const slug of new Set([...builtIn, ...Object.keys(settings)])) {
    const own = settings[slug];
    if (own?.enabled !== false)
      providers.set(slug, createProvider(slug, own, environment, !served.has(slug)));
  }
  return providers;
}

/** An enabled provider, or else the built-in one of that slug without a credential. */
export function findProvider(slug: string, inService: ReadonlyMap<string, Provider>): Provider | undefined {
  const known = inService.get(slug);
  if (known !== undefined || findProviderRow(slug) === undefined) return known;
  return createProvider(slug, undefined, {});
}

/** The enabled providers, and the other built-in ones without a credential: all that `findProvider` finds. */
export function knownProviders(inService: ReadonlyMap<string, Provider>): readonly Provider[] {
  const others = providerRows.filter(({ slug }) => !inService.has(slug));
  return [...inService.values(), ...others.map(({ slug }) => createProvider(slug, undefined, {}))];
}

function createProvider(
  slug: string,
  own: ProviderSettings | undefined,
  environment: Environment,
  lacksModels = false,
): Provider {
  const row = findProviderRow(slug);
  const found = row === undefined ? undefined : findCredential(row, environment);
  const foundKey = row?.variableIsAddress === true || found === undefined ? undefined : new Secret(found);
  // A credential from the environment belongs to the provider's own address and is sent nowhere else.
  const apiKey = own?.api_key ?? own?.api_keys?.[0] ?? (own?.base_url === undefined ? foundKey : undefined);
  return Object.freeze({
    slug,
    name: own?.name ?? row?.name ?? slug,
    adapter: own?.adapter ?? row?.adapter ?? '',
    baseUrl: own?.base_url ?? (row && builtInAddress(row, environment)),
    apiKey,
    ...(own?.proxy !== undefined && { proxy: own.proxy }),
    ...(own?.api_keys !== undefined && { sharedKeys: Object.freeze(own.api_keys) }),
    ...(apiKey === undefined && lacksCredential(row, own) ? { ownCredentialsOnly: true } : {}),
    ...(discovers(row, own, lacksModels) && { discovers: true }),
    ...tracingOf(row, own),
    headers: Object.freeze({ ...own?.headers }),
    quirks: Object.freeze({ ...row?.quirks, ...sandboxQuirks(own), ...own?.quirks }),
    timeouts: own === undefined ? usualTimeouts : readTimeouts(own.timeouts),
    ...limitsOf(own),
    retainsPrompts: own?.retains_prompts ?? row?.retainsPrompts ?? true,
    trainsOnPrompts: own?.trains_on_prompts ?? row?.trainsOnPrompts ?? true,
    publishesPrompts: own?.publishes_prompts ?? false,
    refusedCountries: own?.refused_countries,
    listing: readProviderListing(own, row?.listing),
  });
}

/** What spans say of a provider, and whether it learns of them. */
function tracingOf(
  row: ProviderRow | undefined,
  own: ProviderSettings | undefined,
): Pick<Provider, 'conventionName' | 'propagatesTrace'> {
  return {
    ...(row?.conventionName !== undefined && { conventionName: row.conventionName }),
    ...(own?.propagate_trace === true && { propagatesTrace: true }),
  };
}

function limitsOf(own: ProviderSettings | undefined): Pick<Provider, 'limits'> {
  return own?.limits === undefined ? {} : { limits: Object.freeze(camelCased(own.limits)) };
}

/** Whether the models of a provider are those that it lists: a local server's, or where nobody says which it has. */
function discovers(
  row: ProviderRow | undefined,
  own: ProviderSettings | undefined,
  lacksModels: boolean,
): boolean {
  const adapter = own?.adapter ?? row?.adapter ?? '';
  if (!discoverable.has(adapter)) return false;
  return own?.discover ?? (row === undefined ? lacksModels : row.variableIsAddress === true);
}

/** Whether a built-in provider that needs a credential was enabled without one, at its own address. */
function lacksCredential(row: ProviderRow | undefined, own: ProviderSettings | undefined): boolean {
  const needsOne = row?.variable !== undefined && row.variableIsAddress !== true;
  return needsOne && own?.base_url === undefined && Object.keys(own?.headers ?? {}).length === 0;
}

/** Whether the environment has everything that a built-in provider needs. */
function isFound(row: ProviderRow, environment: Environment): boolean {
  if (findCredential(row, environment) === undefined) return false;
  const addressed = row.baseUrl !== undefined || row.variableIsAddress === true;
  return !addressed || builtInAddress(row, environment) !== undefined;
}

/** The address of a built-in provider; undefined while one of its variables is not set. */
export function builtInAddress(row: ProviderRow, environment: Environment): string | undefined {
  if (row.variableIsAddress === true) {
    const host = findCredential(row, environment);
    return host === undefined ? undefined : ollamaAddress(host);
  }
  if (row.addressVariable !== undefined) return environmentValue(environment, row.addressVariable);
  let complete = true;
  const filled = row.baseUrl?.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = environmentValue(environment, name);
    complete &&= value !== undefined;
    // Some users set a complete address where only a part belongs.
    return value?.replace(/^https?:\/\/|\/+$/g, '') ?? '';
  });
  return complete ? filled : undefined;
}

function readTimeouts(settings: ProviderSettings['timeouts']): Timeouts {
  const { connect, first_event, total, idle } = settings;
  return Object.freeze({ connect, firstEvent: first_event, total, idle });
}

function sandboxQuirks(own: ProviderSettings | undefined): Record<string, unknown> {
  return {
    ...(own?.first_token_delay === undefined ? {} : { firstTokenDelay: own.first_token_delay }),
    ...(own?.tokens_per_second === undefined ? {} : { tokensPerSecond: own.tokens_per_second }),
  };
}

/**
 * The address that `OLLAMA_HOST` (host, host:port or a complete address) means; undefined when it means none. The
 * compatible interface is under /v1. A server that listens on every address is called on this machine.
 */
export function ollamaAddress(host: string): string | undefined {
  const whole = host.includes('://') ? host : `http://${host}`;
  const address = URL.parse(whole);
  if (address === null || !/^https?:$/.test(address.protocol)) return undefined;
  if (address.hostname === '0.0.0.0') address.hostname = '127.0.0.1';
  if (address.port === '' && whole !== host) address.port = String(ollamaPort);
  return `${address.origin}/v1`;
}
