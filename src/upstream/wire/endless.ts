import { HeadgateError } from '../../core/errors.ts';

/** The error of a provider that sends more than an answer may have before it can be read. */
export function endless(what: 'event' | 'body', limit: number): HeadgateError {
  return new HeadgateError('provider_endless', `The provider sent more than ${limit} bytes in one ${what}.`);
}
