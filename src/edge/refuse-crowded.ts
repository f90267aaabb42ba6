import { HeadgateError } from '../core/errors.ts';
import { hasMoreValues } from '../util/json-values.ts';

/** Far beyond any conversation, and still only some hundred megabytes once it is parsed. */
const mostValues = 1_000_000;

/**
 * Refuses a body of more values than a request can have use for, before it is parsed.
 * @param body JSON; in anything else some bytes are counted.
 * @throws HeadgateError `payload_too_large`.
 */
export function refuseCrowded(body: Buffer): void {
  if (!hasMoreValues(body, mostValues)) return;
  throw new HeadgateError(
    'payload_too_large',
    `The request body holds more than the ${mostValues} values this server takes.`,
  );
}
