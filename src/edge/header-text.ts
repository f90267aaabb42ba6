import { isUtf8 } from 'node:buffer';
import type { ReceivedRequest } from './received-request.ts';

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
