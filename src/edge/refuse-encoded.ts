import type { IncomingHttpHeaders } from 'node:http';
import { HeadgateError } from '../core/errors.ts';

/** Longer than any encoding's name. */
const longestName = 40;

/**
 * Refuses a body that is compressed or encoded otherwise: unpacked, a small one may fill the memory.
 * @throws HeadgateError `invalid_request` with the encoding's name.
 */
export function refuseEncoded({ 'content-encoding': encodings }: IncomingHttpHeaders): void {
  if (encodings === undefined) return;
  const names = encodings.split(',').map((name) => name.trim());
  const other = names.find((name) => name !== '' && name.toLowerCase() !== 'identity');
  if (other === undefined) return;
  const name = other.length > longestName ? `${other.slice(0, longestName)}…` : other;
  throw new HeadgateError(
    'invalid_request',
    `body: is sent with Content-Encoding "${name}", which is not read here; send plain JSON without that header.`,
  );
}
