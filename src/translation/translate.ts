import type { CanonicalRequest } from '../core/request.ts';
import { createCallFilter } from './call-filter.ts';
import type { Destination } from './draft.ts';
import type { FeaturesUsed } from './features-used.ts';
import type { Translation } from './translation.ts';

/**
 * A request as one endpoint can serve it (server-tools.md 1, responses.md 3 to 6): what the endpoint's dialect has no
 * word for is rewritten or left out, and the answer is rewritten back.
 * @param used What `featuresUsed` found in the request; none of it may be refused by the endpoint.
 */
export function translate(
  request: CanonicalRequest,
  _used: FeaturesUsed,
  _destination: Destination,
): Translation {
  return { request, alterations: [], restore: createCallFilter(request) };
}
