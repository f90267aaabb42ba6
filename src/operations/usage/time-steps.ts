import { HeadgateError } from '../../core/errors.ts';
import { type OffsetAt, zoneOffsets } from '../../util/local-days.ts';

/** How long the steps of a chart are; `all` is one step. */
export type Bucket = 'auto' | '15m' | '1h' | '1d' | 'all';

/** The steps that a range is divided into. Unix milliseconds. */
export interface TimeSteps {
  readonly bucket: Exclude<Bucket, 'auto'>;
  /** Where each step begins, ascending; the first is the start of the range. */
  readonly starts: readonly number[];
  readonly end: number;
}

/** Steps that one answer has at most. */
export const mostSteps = 400;

const quarter = 900_000;
const hour = 4 * quarter;
const day = 24 * hour;
const longestRange = 400 * day;

/**
 * Divides a range into steps of local time (docs/spec/dashboard.md#numbers). Its ends are moved outwards to quarters of
 * an hour; days are those of the zone, of 23 to 25 hours.
 * @throws HeadgateError `invalid_request` for an unknown zone, or a range that is empty or has too many steps.
 */
export function timeSteps(from: number, to: number, wanted: Bucket, zone: string): TimeSteps {
  const start = Math.floor(from / quarter) * quarter;
  const end = Math.ceil(to / quarter) * quarter;
  if (end <= start) throw new HeadgateError('invalid_request', '"to" must lie after "from".');
  if (end - start > longestRange) {
    throw new HeadgateError('invalid_request', 'A range may have 400 days at most.');
  }
  const bucket = wanted === 'auto' ? suited(end - start) : wanted;
  const offsetAt = offsetsOf(zone);
  const starts: number[] = [];
  for (let next = start; next < end; next = following(next, bucket, end, offsetAt)) {
    starts.push(next);
    if (starts.length > mostSteps) {
      throw new HeadgateError(
        'invalid_request',
        `The range has more than ${mostSteps} steps: choose longer ones.`,
      );
    }
  }
  return { bucket, starts, end };
}

function suited(length: number): Exclude<Bucket, 'auto'> {
  if (length <= day / 2) return '15m';
  return length <= 4 * day ? '1h' : '1d';
}

function following(moment: number, bucket: Exclude<Bucket, 'auto'>, end: number, offsetAt: OffsetAt): number {
  if (bucket === 'all') return end;
  if (bucket === '15m') return moment + quarter;
  const length = bucket === '1h' ? hour : day;
  const local = moment + offsetAt(moment);
  const next = (Math.floor(local / length) + 1) * length;
  const guess = next - offsetAt(moment);
  // Where clocks change in between, the offset of the other side holds.
  const settled = next - offsetAt(guess);
  return settled > moment ? settled : guess;
}

function offsetsOf(zone: string): OffsetAt {
  try {
    return zoneOffsets(zone);
  } catch (cause) {
    throw new HeadgateError('invalid_request', `"tz" is no time zone: ${zone.slice(0, 60)}.`, { cause });
  }
}
