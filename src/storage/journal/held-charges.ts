import {
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { type ChargeRow, readChargeLines } from '../sql/charge-columns.ts';
import { encodeFrame, hasSegmentMark, salvageFrames, segmentMark } from './frame.ts';
import { ignoreMissing } from './ignore-missing.ts';

/** The file beside the segments that keeps charges the database refused, until it takes them. */
export const heldFile = 'held.charges';

/** Keeps charge lines durably at the end of a file of held charges. @throws when they are not all on the disk. */
export function holdCharges(path: string, lines: readonly string[]): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = openSync(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600);
  try {
    const held = readFileSync(file);
    const frame = encodeFrame(lines.join(''));
    append(file, hasSegmentMark(held, path) ? frame : Buffer.concat([segmentMark, frame]), held.length);
  } finally {
    closeSync(file);
  }
}

function append(file: number, bytes: Buffer, end: number): void {
  try {
    // Not one write, which may take a part of them and say nothing of it.
    writeFileSync(file, bytes);
    fsyncSync(file);
  } catch (error) {
    // It is tried again every second: a part of a frame from each try would fill the disk all the more.
    ftruncateSync(file, end);
    throw error;
  }
}

/** The held charges of a file; none when there is no such file. */
export function readHeldCharges(path: string): readonly ChargeRow[] {
  const bytes = readIfThere(path);
  if (bytes === undefined) return [];
  hasSegmentMark(bytes, path);
  return salvageFrames(bytes).texts.flatMap(readChargeLines);
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    return ignoreMissing(error);
  }
}
