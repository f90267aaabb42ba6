import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { hasSegmentMark, readFrames, type SalvagedFrames, salvageFrames, segmentMark } from './frame.ts';
import { ignoreMissing } from './ignore-missing.ts';

/** Part of a file of the journal. */
export interface JournalSource {
  /** A path, or the descriptor of a file that is open in this process. */
  readonly file: string | number;
  /** Bytes from the file's beginning, 0 or the end of a frame. */
  readonly from: number;
  /** Undefined is the file's end. */
  readonly to: number | undefined;
  /** Whether its writes are over, so that what cannot be read is spoilt, and hides nothing behind it. */
  readonly finished?: boolean;
}

/** What a file of the journal holds from some point on. */
export interface SourceContent {
  /** Charge lines. */
  readonly texts: readonly string[];
  /** Where the last whole frame ends, in bytes. */
  readonly end: number;
}

/** What of a file whose writes are over can be read, and how much cannot; nothing where there is no such file. */
export function salvageFile(path: string): SalvagedFrames {
  const descriptor = openIfThere(path);
  if (descriptor === undefined) return salvageFrames(Buffer.alloc(0));
  try {
    return salvageFrames(readBytes(descriptor, 0, fstatSync(descriptor).size));
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads the whole frames of a file of the journal. A file that is gone holds nothing: whoever wrote it deletes
 * it once the database has it.
 */
export function readSource({ file, from, to, finished = false }: JournalSource): SourceContent {
  if (typeof file === 'number') return readOpenFile(file, String(file), from, to);
  const descriptor = openIfThere(file);
  if (descriptor === undefined) return { texts: [], end: from };
  try {
    return finished ? salvage(descriptor, file, from) : readOpenFile(descriptor, file, from, to);
  } finally {
    closeSync(descriptor);
  }
}

function readOpenFile(descriptor: number, name: string, from: number, to: number | undefined): SourceContent {
  let start = from;
  if (start === 0) {
    if (!hasSegmentMark(readBytes(descriptor, 0, segmentMark.length), name)) return { texts: [], end: 0 };
    start = segmentMark.length;
  }
  // Most of a segment is room set aside: only what is needed is read.
  const isEmpty = to === undefined && readBytes(descriptor, start, 4).every((byte) => byte === 0);
  if (isEmpty) return { texts: [], end: start };
  const { texts, length } = readFrames(
    readBytes(descriptor, start, (to ?? fstatSync(descriptor).size) - start),
  );
  return { texts, end: start + length };
}

function salvage(descriptor: number, name: string, from: number): SourceContent {
  if (from === 0) hasSegmentMark(readBytes(descriptor, 0, segmentMark.length), name);
  const { texts, length } = salvageFrames(readBytes(descriptor, from, fstatSync(descriptor).size - from));
  return { texts, end: from + length };
}

function readBytes(descriptor: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, length));
  let done = 0;
  while (done < bytes.length) {
    const read = readSync(descriptor, bytes, done, bytes.length - done, position + done);
    if (read === 0) break;
    done += read;
  }
  return bytes.subarray(0, done);
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    return ignoreMissing(error);
  }
}
