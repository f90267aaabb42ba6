import type { Provider } from '../../core/catalogue.ts';
import type { WireRequest } from '../adapter.ts';
import { providerError } from './failure.ts';
import type { OutgoingRequest } from './transport.ts';

interface Target {
  readonly origin: string;
  readonly pathPrefix: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Providers are frozen with the configuration, so each target is computed once. */
const targets = new WeakMap<Provider, Target>();

const fixedHeaders = {
  'content-type': 'application/json',
  // Without this header a provider may compress.
  'accept-encoding': 'identity',
  'user-agent': 'headgate',
};

/**
 * Combines an adapter's request with its provider's address, or with the address in the request. The provider's
 * configured headers override the adapter's, and both override the gateway's own; word lists are joined.
 * @throws HeadgateError `provider_failed` when the provider has no usable base address.
 */
export function addressRequest(provider: Provider, wire: WireRequest, body: string): OutgoingRequest {
  const target = wire.baseUrl === undefined ? targetOf(provider) : createTarget(provider, wire.baseUrl);
  return {
    origin: target.origin,
    path: `${target.pathPrefix}${wire.path}${target.query}`,
    headers: {
      accept: wire.streamed ? 'text/event-stream' : 'application/json',
      ...fixedHeaders,
      ...lowerCased(wire.headers),
      ...target.headers,
      ...joinLists(wire.listHeaders, target.headers),
    },
    body,
    streamed: wire.streamed,
    connectTimeout: provider.timeouts.connect,
    proxy: provider.proxy,
  };
}

/** The provider's words first, without duplicates. */
function joinLists(
  lists: WireRequest['listHeaders'] = {},
  configured: Readonly<Record<string, string>>,
): Record<string, string> {
  const joined = Object.entries(lists).flatMap(([name, words]) => {
    const own = configured[name]?.split(',').map((word) => word.trim()) ?? [];
    const all = new Set([...own, ...words].filter((word) => word !== ''));
    return all.size === 0 ? [] : [[name, [...all].join(',')] as const];
  });
  return Object.fromEntries(joined);
}

function targetOf(provider: Provider): Target {
  const known = targets.get(provider);
  if (known) return known;
  const target = createTarget(provider, provider.baseUrl ?? '');
  targets.set(provider, target);
  return target;
}

function createTarget(provider: Provider, baseUrl: string): Target {
  const address = URL.parse(baseUrl);
  if (!address) throw providerError(provider, 'provider_failed', `${provider.name} has no usable address.`);
  return {
    origin: address.origin,
    pathPrefix: address.pathname.replace(/\/+$/, ''),
    query: address.search,
    headers: lowerCased(provider.headers),
  };
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  const lower: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) lower[name.toLowerCase()] = value;
  return lower;
}
