import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { hasSegmentMark, readFrames, segmentMark } from './frame.ts';
import { ignoreMissing } from './ignore-missing.ts';

/** Part of a file of the journal. */
export interface JournalSource {
  /** A path, or the descriptor of a file that is open in this process. */
  readonly file: string | number;
  /** Bytes from the file's beginning, 0 or the end of a frame. */
  readonly from: number;
  /** Undefined is the file's end. */
  readonly to: number | undefined;
}

/** What a file of the journal holds from some point on. */
export interface SourceContent {
  /** Charge lines. */
  readonly texts: readonly string[];
  /** Where the last whole frame ends, in bytes. */
  readonly end: number;
}

/**
 * Reads the whole frames of a file of the journal. A file that is gone holds nothing: whoever wrote it deletes
 * it once the database has it.
 */
export function readSource({ file, from, to }: JournalSource): SourceContent {
  if (typeof file === 'number') return readOpenFile(file, String(file), from, to);
  const descriptor = openIfThere(file);
  if (descriptor === undefined) return { texts: [], end: from };
  try {
    return readOpenFile(descriptor, file, from, to);
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
