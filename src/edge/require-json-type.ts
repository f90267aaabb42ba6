import type { IncomingHttpHeaders } from 'node:http';
import { HeadgateError } from '../core/errors.ts';

const json = /^\s*application\/json\s*(;|$)/i;

/**
 * Refuses a body whose `Content-Type` is not `application/json`, with parameters or without: browsers send any other body to
 * other origins without asking first.
 * @throws HeadgateError `invalid_request`.
 */
export function requireJsonType({ 'content-type': type }: IncomingHttpHeaders): void {
  if (type !== undefined && json.test(type)) return;
  throw new HeadgateError(
    'invalid_request',
    `The header Content-Type must be application/json; ${type === undefined ? 'there is none' : 'it is something else'}.`,
  );
}
