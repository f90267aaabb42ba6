import { readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/** How the names of its files end. */
const ending = '.charges';

/** The most charges that are booked at once. */
const largestBatch = 1000;

/** Length and checksum before each text, 32 bits little endian. */
const headerLength = 8;

/**
 * Books the charges that an early version left in its journal (decision 31), and renames its files. The id of a charge lets it
 * count once, so a start that is interrupted here does no harm.
 * @param book Books charge lines, some with terms.
 */
export async function bookOldJournal(
  directory: string,
  book: (lines: readonly string[]) => Promise<void>,
): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    if (!name.endsWith(ending)) continue;
    const path = join(directory, name);
    const lines = readTexts(await readFile(path)).flatMap((text) => text.split(/(?<=\n)/));
    for (let start = 0; start < lines.length; start += largestBatch) {
      await book(lines.slice(start, start + largestBatch));
    }
    await rename(path, `${path}.booked`);
  }
}

/** The texts of all whole frames, wherever they are: bytes that a power failure spoilt are passed over. */
function readTexts(bytes: Buffer): readonly string[] {
  const texts: string[] = [];
  for (let start = 0; start + headerLength < bytes.length; ) {
    const begin = start + headerLength;
    const end = begin + bytes.readUInt32LE(start);
    // Every text ends with a line feed: without this check each byte would need a checksum.
    if (bytes[end - 1] === 10 && crc32(bytes.subarray(begin, end)) === bytes.readUInt32LE(start + 4)) {
      texts.push(bytes.toString('utf8', begin, end));
      start = end;
    } else start += 1;
  }
  return texts;
}
