import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** Bytes; keys, certificates and service accounts are far smaller. */
const largest = 64 * 1024;

/**
 * The text of a file that contains a secret. Links are followed; only a regular file is read, because a device or a
 * pipe could block the process or never end.
 * @throws Error when it is no regular file, is larger than 64 KiB, or cannot be read; the message names no content.
 */
export function readSecretFile(path: string): string {
  // Without it, opening a pipe that nobody writes to would wait for ever.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new Error('it is not a regular file');
    if (found.size > largest) throw new Error(`it is larger than ${largest} bytes`);
    const bytes = Buffer.alloc(largest + 1);
    const length = readSync(file, bytes, 0, bytes.length, 0);
    if (length > largest) throw new Error(`it is larger than ${largest} bytes`);
    return bytes.toString('utf8', 0, length);
  } finally {
    closeSync(file);
  }
}
