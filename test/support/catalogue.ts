import type { Endpoint, Model, Price, Provider } from '../../src/core/catalogue.ts';
import { parsePricePerMillion } from '../../src/core/money.ts';
import { patientTimeouts } from './timeouts.ts';

/** A provider of tests; `baseUrl` is mostly a fake upstream's. */
export function providerOf(fields: Partial<Provider> & { readonly slug: string }): Provider {
  return {
    name: fields.slug,
    adapter: 'openai-chat',
    headers: {},
    quirks: {},
    timeouts: patientTimeouts,
    retainsPrompts: false,
    trainsOnPrompts: false,
    publishesPrompts: false,
    ...fields,
  };
}

/** A text model with an endpoint at each provider, at 3 USD in and 15 USD out per million tokens. */
export function modelOf(id: string, providers: readonly Provider[], fields: Partial<Endpoint> = {}): Model {
  const price: Price = { prompt: parsePricePerMillion(3), completion: parsePricePerMillion(15) };
  const endpoints = providers.map((provider) => ({
    provider,
    upstreamModel: id.split('/')[1] ?? id,
    tag: provider.slug,
    tier: 'default' as const,
    price,
    ...fields,
  }));
  return {
    id,
    canonicalSlug: id,
    name: id,
    description: '',
    created: 1_767_225_600,
    inputModalities: ['text', 'image'],
    outputModalities: ['text'],
    endpoints,
  };
}
