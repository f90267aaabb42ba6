import { HeadgateError } from '../core/errors.ts';

/**
 * The error for a request that a dialect cannot express, but another endpoint may.
 * @param what What the dialect accepts instead.
 */
export function refusal(what: string): HeadgateError {
  return new HeadgateError('upstream_invalid_request', `The provider takes ${what}.`);
}
