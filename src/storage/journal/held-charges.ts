import { closeSync, constants, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { type ChargeRow, readChargeLines } from '../sql/charge-columns.ts';
import { encodeFrame, hasSegmentMark, readFrames, segmentMark } from './frame.ts';
import { ignoreMissing } from './ignore-missing.ts';

/** The file beside the segments that keeps charges the database refused, until it takes them. */
export const heldFile = 'held.charges';

/** Keeps charge lines durably at the end of a file of held charges. */
export function holdCharges(path: string, lines: readonly string[]): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = openSync(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600);
  try {
    const isNew = !hasSegmentMark(readFileSync(file), path);
    const frame = encodeFrame(lines.join(''));
    writeSync(file, isNew ? Buffer.concat([segmentMark, frame]) : frame);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The held charges of a file; none when there is no such file. */
export function readHeldCharges(path: string): readonly ChargeRow[] {
  const bytes = readIfThere(path);
  if (bytes === undefined || !hasSegmentMark(bytes, path)) return [];
  return readFrames(bytes.subarray(segmentMark.length)).texts.flatMap(readChargeLines);
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    return ignoreMissing(error);
  }
}
