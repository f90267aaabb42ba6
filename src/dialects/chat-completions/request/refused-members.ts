import { malformed } from '../../../schema/fault.ts';
import { isObject } from '../../../util/json.ts';
import type { ChatRequest } from './chat-request-schema.ts';

/** Members that cannot be served, and what to do instead. */
const instead: Readonly<Record<string, string>> = {
  functions: 'use tools',
  function_call: 'use tool_choice',
};

/**
 * Refuses members that would change the answer and cannot be served. Null and empty arrays count as absent.
 * @throws HeadgateError `invalid_request` naming what to use instead.
 */
export function refuseMembers(body: unknown): void {
  if (!isObject(body)) return;
  for (const name in instead) {
    const value = body[name];
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) continue;
    throw malformed(name, `is not served here; ${instead[name]}`);
  }
  if (body.n !== undefined && body.n !== null && body.n !== 1) {
    throw malformed('n', 'must be 1: a request has one answer; send the request n times for more');
  }
  if (body.prompt !== undefined && body.messages === undefined) {
    throw malformed('prompt', 'is not served here; put the text into messages');
  }
}

const mostStops = 4;

/** Refuses what no answer of this server keeps or has. @throws HeadgateError `invalid_request`. */
export function refuseUnserved({ store, debug, stream, stop }: ChatRequest): void {
  if (store === true) throw malformed('store', 'must be false, answers are not stored');
  if (Array.isArray(stop) && stop.length > mostStops) {
    throw malformed('stop', `must hold at most ${mostStops} texts, got ${stop.length}`);
  }
  if (stop === '' || (Array.isArray(stop) && stop.includes(''))) throw malformed('stop', 'must not be empty');
  if (debug?.echo_upstream_body === true && stream !== true) {
    throw malformed('debug.echo_upstream_body', 'needs "stream": true');
  }
}
