import { HeadgateError } from '../../core/errors.ts';
import { holdsMoreValues } from '../../util/json-values.ts';

/** Beyond any answer, also one that tells twenty alternatives of each token it has room for. */
const mostValues = 4_000_000;

/**
 * Refuses JSON of a provider that holds more values than any answer, before it is parsed.
 * @throws HeadgateError `provider_failed`.
 */
export function refuseCrowded(json: Buffer | string): void {
  // Nothing shorter holds so many, and a text is mostly one of a few hundred characters.
  if (json.length <= mostValues) return;
  if (!holdsMoreValues(typeof json === 'string' ? Buffer.from(json) : json, mostValues)) return;
  throw new HeadgateError('provider_failed', `The provider sent more than ${mostValues} values at once.`);
}
