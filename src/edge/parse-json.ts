import { isUtf8 } from 'node:buffer';
import { HeadgateError } from '../core/errors.ts';
import { hasMoreValues } from '../util/json-values.ts';

/** Far beyond any conversation, and still only some hundred megabytes once it is parsed. */
const mostValues = 1_000_000;

/**
 * Refuses a body of more values than a request can have use for, before it is parsed.
 * @param body JSON; in anything else some bytes are counted.
 * @throws HeadgateError `payload_too_large`.
 */
export function refuseCrowded(body: Buffer): void {
  if (!hasMoreValues(body, mostValues)) return;
  throw new HeadgateError(
    'payload_too_large',
    `The request body holds more than the ${mostValues} values this server takes.`,
  );
}

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
