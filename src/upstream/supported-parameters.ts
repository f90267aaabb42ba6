import type { Endpoint } from '../core/catalogue.ts';

/**
 * Whether an endpoint takes any of the parameters named, by the vocabulary of routing.md 3.3. An endpoint
 * that declares none takes everything; what it does not take is left out of the call.
 */
export function supports(endpoint: Endpoint, ...names: readonly string[]): boolean {
  const declared = endpoint.supportedParameters;
  return declared === undefined || names.some((name) => declared.has(name));
}
