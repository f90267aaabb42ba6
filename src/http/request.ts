import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { HeadgateError } from '../core/errors.ts';
import { hasMoreValues } from '../util/json.ts';

/** A request header as one text; undefined when it is absent or empty. */
export function headerText({ headers }: Pick<ReceivedRequest, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  const text = Array.isArray(value) ? value[0] : value;
  return text === undefined || text === '' ? undefined : text;
}

/** A request header that people write: bytes beyond ASCII are read as UTF-8, which is what clients send, where they are any. */
export function spokenHeader(request: Pick<ReceivedRequest, 'headers'>, name: string): string | undefined {
  const text = headerText(request, name);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what ASCII is.
  if (text === undefined || /^[\x00-\x7f]*$/.test(text)) return text;
  const bytes = Buffer.from(text, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : text;
}

/** The parts of a request that are read, independent of the code that parsed it. */
export interface ReceivedRequest {
  /** The id of the generation it may become. */
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  /** Its JSON, once it is read. */
  readonly body: unknown;
}

/** The parameters of a query, decoded. One that is given several times has a list. */
export type Query = Readonly<Record<string, string | readonly string[]>>;

const noQuery: Query = {};

/** The query of a request's target, such as `/models?sort=newest`. */
export function parseQuery(target: string): Query {
  const start = target.indexOf('?');
  if (start === -1) return noQuery;
  // Any name may be in a query, `__proto__` too.
  const query: Record<string, string | readonly string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(target.slice(start))) {
    const before = query[name];
    query[name] = before === undefined ? value : [before, value].flat();
  }
  return query;
}

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
