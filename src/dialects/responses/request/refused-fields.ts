import { malformed } from '../../../schema/fault.ts';
import { isObject } from '../../../util/json.ts';
import type { WithoutNulls } from '../../gateway/without-nulls.ts';
import type { ResponsesRequest } from './responses-request-schema.ts';

const stateless = 'nothing is stored here, send the whole history in input';

/**
 * Refuses the fields that would refer to something stored (docs/spec/requests.md#nothing-is-stored).
 * @throws HeadgateError `invalid_request`.
 */
export function refuseStoredState(body: WithoutNulls<ResponsesRequest>): void {
  if (body.store === true) throw malformed('store', 'must be false, responses are not stored');
  if (body.previous_response_id !== undefined) {
    throw malformed('previous_response_id', `must be null, ${stateless}`);
  }
  if (body.conversation !== undefined) throw malformed('conversation', `must be null, ${stateless}`);
}

/** Members of other public dialects that change an answer, and the member that says the same here. */
const foreign: Readonly<Record<string, string>> = {
  messages: 'input',
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
  response_format: 'text.format',
  reasoning_effort: 'reasoning.effort',
  functions: 'tools',
  function_call: 'tool_choice',
};

/**
 * Refuses members that mean something in another dialect: who sends them would get another answer than they asked
 * for (docs/spec/requests.md#members-of-other-dialects). Null and empty arrays count as absent.
 * @throws HeadgateError `invalid_request` naming the member to use instead.
 */
export function refuseForeignMembers(body: unknown): void {
  if (!isObject(body)) return;
  for (const name in foreign) {
    const value = body[name];
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) continue;
    throw malformed(
      name,
      `is no member of this interface; use ${foreign[name]}, or send the request to /chat/completions`,
    );
  }
  if (body.n !== undefined && body.n !== null && body.n !== 1) {
    throw malformed('n', 'must be 1: a request has one answer; send it several times for more');
  }
}
