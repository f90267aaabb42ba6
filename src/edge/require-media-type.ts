import type { IncomingHttpHeaders } from 'node:http';
import { HeadgateError } from '../core/errors.ts';

const token = "[\\w!#$%&'*+.^`|~-]+";
const mediaType = new RegExp(`^\\s*${token}/${token}\\s*(;|$)`);

/**
 * Refuses a body whose `Content-Type` is no media type. Which one it is does not count, and it may be left out.
 * @throws HeadgateError `invalid_request`.
 */
export function requireMediaType({ 'content-type': type }: IncomingHttpHeaders): void {
  if (type === undefined || mediaType.test(type)) return;
  throw new HeadgateError(
    'invalid_request',
    'The header Content-Type is no media type: send application/json, or leave it out.',
  );
}
