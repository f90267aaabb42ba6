import { HeadgateError } from '../../core/errors.ts';
import { holdsMoreValues } from '../../util/json-values.ts';

/** More than any answer contains, even with twenty alternatives for each token. */
const mostValues = 4_000_000;

/**
 * Refuses JSON with more values than any answer has, before parsing it.
 * @throws HeadgateError `provider_failed`.
 */
export function refuseCrowded(json: Buffer | string): void {
  // Fast path: a shorter text cannot contain so many values.
  if (json.length <= mostValues) return;
  if (!holdsMoreValues(typeof json === 'string' ? Buffer.from(json) : json, mostValues)) return;
  throw new HeadgateError('provider_failed', `The provider sent more than ${mostValues} values at once.`);
}
