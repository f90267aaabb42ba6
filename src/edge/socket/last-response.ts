import { HeadgateError } from '../../core/errors.ts';
import { isObject, type JsonObject } from '../../util/json.ts';

/** The last answer of a connection, which the next request may go on from. */
export interface LastResponse {
  /** The id of the answer. */
  readonly id: string;
  /** What was asked, with all that preceded it, and what was answered. */
  readonly items: readonly unknown[];
}

/** Thrown for an answer that this connection does not have (docs/spec/websocket.md#going-on). */
export class UnknownResponse extends HeadgateError {
  constructor(id: string) {
    super(
      'invalid_request',
      `previous_response_id: "${id}" is not the last completed answer of this connection; send the whole history in input`,
    );
  }
}

/**
 * The body of a request with the turn before its own input, where it names one.
 * @throws UnknownTurn when it names another answer than the one that is kept.
 */
export function continued(body: JsonObject, kept: LastResponse | undefined): JsonObject {
  const { previous_response_id: id, ...rest } = body;
  if (id === undefined || id === null) return rest;
  if (typeof id !== 'string') {
    throw new HeadgateError('invalid_request', 'previous_response_id: expected a string');
  }
  if (id !== kept?.id) throw new UnknownResponse(id);
  // An invalid input is refused by the code that reads the body.
  if (!mayBeInput(rest.input)) return rest;
  return { ...rest, input: [...kept.items, ...itemsOf(rest.input)] };
}

/** The turn that a terminal event completes; undefined for one that failed or was cut off. */
export function completedResponse(body: JsonObject, event: unknown): LastResponse | undefined {
  if (!isObject(event) || event.type !== 'response.completed' || !isObject(event.response)) return undefined;
  const { id, output } = event.response;
  if (typeof id !== 'string' || !Array.isArray(output)) return undefined;
  return { id, items: [...itemsOf(body.input), ...output] };
}

function mayBeInput(input: unknown): boolean {
  return input === undefined || input === null || typeof input === 'string' || Array.isArray(input);
}

function itemsOf(input: unknown): readonly unknown[] {
  if (Array.isArray(input)) return input;
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : [];
}
