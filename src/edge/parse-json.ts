import { isUtf8 } from 'node:buffer';
import { HeadgateError } from '../core/errors.ts';
import { refuseCrowded } from './refuse-crowded.ts';

/** What some editors and shells write before a text. */
const byteOrderMark = Buffer.from('\ufeff');

/**
 * The JSON of a request's body, also behind a byte order mark.
 * @throws HeadgateError `invalid_request` when there is none or it is not valid, `payload_too_large` when it holds too
 *   much to be parsed.
 */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) throw new HeadgateError('invalid_request', 'body: is empty; send a JSON object.');
  // Decoded all the same, each byte that is wrong would become another character of the prompt.
  if (!isUtf8(body)) throw new HeadgateError('invalid_request', 'body: is not valid JSON: it is not UTF-8.');
  refuseCrowded(body);
  try {
    const marked = body.subarray(0, byteOrderMark.length).equals(byteOrderMark);
    return JSON.parse(body.toString('utf8', marked ? byteOrderMark.length : 0));
  } catch (error) {
    // The parser quotes the text around the fault, which may be a prompt: only the place is passed on.
    const place = /position \d+( \(line \d+ column \d+\))?/.exec(
      error instanceof Error ? error.message : '',
    )?.[0];
    const where = place === undefined ? '' : ` at ${place}`;
    throw new HeadgateError('invalid_request', `body: is not valid JSON${where}.`);
  }
}
