import type { Endpoint } from '../core/catalogue.ts';
import type { Secret } from '../util/secret.ts';

const known = new WeakMap<Secret, WeakMap<Endpoint, Endpoint>>();

/**
 * An endpoint as an account's own credential reaches it; the same object for the same two, because adapters remember
 * things of providers. Headers the operator added go with the operator's credential and stay behind.
 */
export function ownEndpoint(endpoint: Endpoint, secret: Secret): Endpoint {
  const ofSecret = known.get(secret) ?? new WeakMap<Endpoint, Endpoint>();
  known.set(secret, ofSecret);
  const own = ofSecret.get(endpoint) ?? {
    ...endpoint,
    provider: { ...endpoint.provider, apiKey: secret, headers: {} },
  };
  ofSecret.set(endpoint, own);
  return own;
}
