import type { IncomingMessage } from 'node:http';
import { HeadgateError } from '../core/errors.ts';
import { headerText } from './header-text.ts';

/** The client went away before all of its request had come. */
export class RequestCutOff extends Error {
  override readonly name = 'RequestCutOff';
}

/**
 * The whole body of a request.
 * @param limit Bytes.
 * @throws HeadgateError `payload_too_large` as soon as it is known to be longer.
 * @throws RequestCutOff when the connection ends before it does.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(headerText(request, 'content-length') ?? 0) > limit) {
      reject(tooLarge(limit));
      return;
    }
    if (request.destroyed) {
      reject(new RequestCutOff());
      return;
    }
    let parts: Buffer[] = [];
    let length = 0;
    let whole = false;
    request.on('data', (part: Buffer) => {
      length += part.length;
      if (length <= limit) {
        parts.push(part);
        return;
      }
      parts = [];
      reject(tooLarge(limit));
    });
    request.on('end', () => {
      whole = true;
      const [first] = parts;
      resolve(parts.length === 1 && first !== undefined ? first : Buffer.concat(parts));
      // A stream may stay open for minutes, and its request with it.
      parts = [];
    });
    // Every request closes in the end: an error made for each would cost more than reading its body.
    const cutOff = () => {
      if (!whole) reject(new RequestCutOff());
    };
    request.on('error', cutOff).on('close', cutOff);
  });
}

/** What is said of a body that is longer than it may be. */
export function tooLarge(limit: number): HeadgateError {
  return new HeadgateError(
    'payload_too_large',
    `The request body is larger than the ${limit} bytes this server takes.`,
  );
}
