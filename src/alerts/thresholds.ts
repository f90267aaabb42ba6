import type { LimitWindows } from '../core/limit-calendar.ts';
import type { NanoUsd } from '../core/money.ts';

/** How exact a threshold is: hundredths of a per cent. */
const whole = 10_000;

/** A moment, and the windows of limits that hold it. */
export interface Moment {
  /** Unix milliseconds. */
  readonly now: number;
  readonly windows: LimitWindows;
}

/** The thresholds, as fractions of a limit, that are reached. */
export function crossedOf(thresholds: readonly number[], spent: NanoUsd, limit: NanoUsd): readonly number[] {
  return thresholds.filter(
    (threshold) => spent * BigInt(whole) >= limit * BigInt(Math.round(threshold * whole)),
  );
}
