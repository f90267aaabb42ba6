import { HeadgateError } from '../../core/errors.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { parseJson } from '../parse-json.ts';

/** A request that came as a message. */
export interface MessageRequest {
  /** As `POST /responses` takes it. */
  readonly body: JsonObject;
  /** Whether it only prepares the next request (docs/spec/websocket.md#warming-up). */
  readonly isWarmUp: boolean;
}

/**
 * Reads a request that came as a message (docs/spec/websocket.md#messages).
 * @throws HeadgateError `invalid_request` when it is no `response.create`, or asks for what a connection cannot do.
 */
export function readMessage(bytes: Buffer): MessageRequest {
  const message = parseJson(bytes);
  if (!isObject(message) || message.type !== 'response.create') {
    throw new HeadgateError(
      'invalid_request',
      'type: must be "response.create", beside the members of a request',
    );
  }
  const { type: _type, stream, background, generate, ...body } = message;
  if (stream === false)
    throw new HeadgateError('invalid_request', 'stream: must be left out, messages are events');
  if (background === true) {
    throw new HeadgateError(
      'invalid_request',
      'background: must be left out, nothing runs without its connection',
    );
  }
  if (generate !== undefined && generate !== null && typeof generate !== 'boolean') {
    throw new HeadgateError('invalid_request', 'generate: expected a boolean');
  }
  return { body: { ...body, stream: true }, isWarmUp: generate === false };
}
