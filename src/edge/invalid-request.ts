import type { IncomingMessage } from 'node:http';

/** A name or an address, and a port. */
const host = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\w:.%~-]+\])(?::\d*)?$/;

/**
 * What HTTP/1.1 wants refused in a request that the runtime lets through (RFC 9112, 3.2 and 6.1), as the end of a sentence;
 * undefined in all others.
 */
export function invalidRequest({ headers, rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  const { 'transfer-encoding': encoding } = headers;
  if (headers.host === undefined && httpVersion === '1.1') return 'it names no Host';
  if (headers.host !== undefined && !host.test(headers.host)) return 'its Host is no host';
  if (isNamedTwice(rawHeaders, 'host')) return 'it names two Hosts';
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') {
    return 'its Transfer-Encoding is not chunked';
  }
  return undefined;
}

/** @param headers Names and values by turns, as they came. */
function isNamedTwice(headers: readonly string[], name: string): boolean {
  let count = 0;
  for (let index = 0; index < headers.length; index += 2) {
    const given = headers[index];
    if (given?.length === name.length && given.toLowerCase() === name) count += 1;
  }
  return count > 1;
}
