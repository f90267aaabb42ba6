import { crc32 } from 'node:zlib';

/** What every segment of the journal begins with; the number is the format's. */
export const segmentMark = Buffer.from('headgate charges 1\n');

const headerLength = 8;

/**
 * Charge lines that were written together, as bytes: length and CRC-32 of the text, each 32 bits little endian,
 * then the text. All of a frame counts or nothing: a write cut off by a crash does not match its checksum.
 */
export function encodeFrame(text: string): Buffer {
  const longest = headerLength + text.length * 3;
  const frame = Buffer.allocUnsafe(longest);
  const length = frame.write(text, headerLength, 'utf8');
  frame.writeUInt32LE(length, 0);
  frame.writeUInt32LE(crc32(frame.subarray(headerLength, headerLength + length)), 4);
  return frame.subarray(0, headerLength + length);
}

/** The whole frames at the beginning of `bytes`: their texts, and how many bytes they take. */
export function readFrames(bytes: Buffer): { readonly texts: readonly string[]; readonly length: number } {
  const texts: string[] = [];
  let position = 0;
  while (position + headerLength <= bytes.length) {
    const length = bytes.readUInt32LE(position);
    const start = position + headerLength;
    // Space that was set aside and never written to holds zeros.
    if (length === 0 || start + length > bytes.length) break;
    const text = bytes.subarray(start, start + length);
    if (crc32(text) !== bytes.readUInt32LE(position + 4)) break;
    texts.push(text.toString('utf8'));
    position = start + length;
  }
  return { texts, length: position };
}

/**
 * Whether bytes begin with the mark of this format; false when they hold nothing yet.
 * @throws Error when another version wrote them.
 */
export function hasSegmentMark(bytes: Buffer, name: string): boolean {
  const mark = bytes.subarray(0, segmentMark.length);
  if (mark.equals(segmentMark)) return true;
  if (mark.every((byte) => byte === 0) || segmentMark.subarray(0, mark.length).equals(mark)) return false;
  throw new Error(`The journal file "${name}" was written by another version: start that version once more.`);
}
