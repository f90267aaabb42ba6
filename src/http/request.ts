import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';

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
