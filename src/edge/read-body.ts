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
 * @param hold Asked for room for each piece; what it throws is thrown here.
 * @throws HeadgateError `payload_too_large` as soon as it is known to be longer.
 * @throws RequestCutOff when the connection ends before it does.
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  hold: (bytes: number) => void,
): Promise<Buffer> {
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
    let refused = false;
    request.on('data', (part: Buffer) => {
      if (refused) return;
      length += part.length;
      try {
        if (length > limit) throw tooLarge(limit);
        hold(part.length);
        parts.push(part);
      } catch (refusal) {
        refused = true;
        parts = [];
        reject(refusal);
      }
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

function tooLarge(limit: number): HeadgateError {
  return new HeadgateError(
    'payload_too_large',
    `The request body is larger than the ${limit} bytes this server takes.`,
  );
}
