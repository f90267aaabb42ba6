import type { Endpoint, Provider } from '../core/catalogue.ts';
import type { Secret } from '../util/secret.ts';

const known = new WeakMap<Secret, WeakMap<Endpoint, Endpoint>>();

/**
 * An endpoint with an account's own credential. Always the same object for the same pair, because adapters cache
 * values by provider. The operator's additional headers belong to the operator's credential and are left out.
 */
export function ownEndpoint(endpoint: Endpoint, secret: Secret): Endpoint {
  return withSecret(endpoint, secret, {});
}

/** An endpoint with one of several credentials of the operator; the same object for the same pair. */
export function sharedEndpoint(endpoint: Endpoint, secret: Secret): Endpoint {
  return withSecret(endpoint, secret, endpoint.provider.headers);
}

function withSecret(endpoint: Endpoint, secret: Secret, headers: Provider['headers']): Endpoint {
  const ofSecret = known.get(secret) ?? new WeakMap<Endpoint, Endpoint>();
  known.set(secret, ofSecret);
  const own = ofSecret.get(endpoint) ?? {
    ...endpoint,
    provider: { ...endpoint.provider, apiKey: secret, headers },
  };
  ofSecret.set(endpoint, own);
  return own;
}
