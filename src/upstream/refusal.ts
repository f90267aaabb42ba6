import { HeadgateError } from '../core/errors.ts';

/**
 * The error for a request a dialect has no words for, which another endpoint may have.
 * @param what What the dialect takes instead.
 */
export function refusal(what: string): HeadgateError {
  return new HeadgateError('upstream_invalid_request', `The provider takes ${what}.`);
}
