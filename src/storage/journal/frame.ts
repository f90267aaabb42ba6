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
  for (;;) {
    const end = endOfFrame(bytes, position);
    if (end === undefined) return { texts, length: position };
    texts.push(textOf(bytes, position, end));
    position = end;
  }
}

/** What there is to read in a file that nobody writes to any more, and of which a part may be spoilt. */
export interface SalvagedFrames {
  readonly texts: readonly string[];
  /** Where the last whole frame ends. */
  readonly length: number;
  /** Where the room set aside begins. */
  readonly used: number;
  /** Bytes before that which are in no whole frame. */
  readonly unreadable: number;
}

/**
 * All whole frames of lines in `bytes`, wherever they are: a power failure may leave half of a write, sectors of zeros or
 * anything else, and what was written behind that at a later start was promised all the same.
 */
export function salvageFrames(bytes: Buffer): SalvagedFrames {
  const texts: string[] = [];
  const used = lengthWithoutRoom(bytes);
  let length = 0;
  let unreadable = 0;
  for (let position = 0; position < used; ) {
    const end = endOfLines(bytes, position);
    if (end !== undefined) {
      texts.push(textOf(bytes, position, end));
      position = end;
      length = end;
    } else if (isMark(bytes, position)) position += segmentMark.length;
    else {
      position += 1;
      unreadable += 1;
    }
  }
  return { texts, length, used, unreadable };
}

const lineFeed = 10;

/** Where the whole frame that begins at a position ends, or undefined when none does. */
function endOfFrame(bytes: Buffer, position: number): number | undefined {
  const start = position + headerLength;
  if (start > bytes.length) return undefined;
  const length = bytes.readUInt32LE(position);
  // Space that was set aside and never written to holds zeros.
  if (length === 0 || start + length > bytes.length) return undefined;
  const checksum = crc32(bytes.subarray(start, start + length));
  return checksum === bytes.readUInt32LE(position + 4) ? start + length : undefined;
}

/** As `endOfFrame` for a frame of lines; it can be asked of every byte, because few checksums are worked out in vain. */
function endOfLines(bytes: Buffer, position: number): number | undefined {
  if (position + headerLength > bytes.length) return undefined;
  const end = position + headerLength + bytes.readUInt32LE(position);
  return bytes[end - 1] === lineFeed ? endOfFrame(bytes, position) : undefined;
}

function textOf(bytes: Buffer, position: number, end: number): string {
  return bytes.toString('utf8', position + headerLength, end);
}

/** Where the zeros at the end begin. */
function lengthWithoutRoom(bytes: Buffer): number {
  let length = bytes.length;
  while (length > 0 && bytes[length - 1] === 0) length -= 1;
  return length;
}

function isMark(bytes: Buffer, position: number): boolean {
  if (bytes[position] !== segmentMark[0]) return false;
  return bytes.subarray(position, position + segmentMark.length).equals(segmentMark);
}

/**
 * Whether bytes begin with the mark of this format; false when they hold nothing yet, or begin with something spoilt.
 * @throws Error when another version wrote them.
 */
export function hasSegmentMark(bytes: Buffer, name: string): boolean {
  if (isMark(bytes, 0)) return true;
  if (!/^headgate charges \d+\n/.test(bytes.toString('latin1', 0, 32))) return false;
  throw new Error(`The journal file "${name}" was written by another version: start that version once more.`);
}
