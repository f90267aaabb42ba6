import { malformed } from '../../../schema/fault.ts';
import type { ResponsesRequest } from './responses-request-schema.ts';
import type { WithoutNulls } from './without-nulls.ts';

const stateless = 'nothing is stored here, send the whole history in input';

/**
 * Refuses the fields that would refer to something stored (responses.md 1.7).
 * @throws HeadgateError `invalid_request`.
 */
export function refuseStoredState(body: WithoutNulls<ResponsesRequest>): void {
  if (body.store === true) throw malformed('store', 'must be false, responses are not stored');
  if (body.previous_response_id !== undefined) {
    throw malformed('previous_response_id', `must be null, ${stateless}`);
  }
  if (body.conversation !== undefined) throw malformed('conversation', `must be null, ${stateless}`);
}
