import { HeadgateError } from '../../core/errors.ts';
import { hasMoreValues } from '../../util/json-values.ts';

/** More than any answer contains, even with twenty alternatives for each token. */
const maxValues = 4_000_000;

/**
 * Refuses JSON with more values than any answer has, before parsing it.
 * @throws HeadgateError `provider_failed`.
 */
export function refuseTooManyValues(json: Buffer | string): void {
  // Fast path: a shorter text cannot contain so many values.
  if (json.length <= maxValues) return;
  if (!hasMoreValues(typeof json === 'string' ? Buffer.from(json) : json, maxValues)) return;
  throw new HeadgateError('provider_failed', `The provider sent more than ${maxValues} values at once.`);
}
