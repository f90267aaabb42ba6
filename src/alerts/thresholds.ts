import type { NanoUsd } from '../core/money.ts';

/** How exact a threshold is: hundredths of a per cent. */
const whole = 10_000;

/** The windows of UTC in which limits that begin anew are counted. */
export const windowNames = { daily: 'day', weekly: 'week', monthly: 'month' } as const;

/** The thresholds, as fractions of a limit, that are reached. */
export function crossedOf(thresholds: readonly number[], spent: NanoUsd, limit: NanoUsd): readonly number[] {
  return thresholds.filter(
    (threshold) => spent * BigInt(whole) >= limit * BigInt(Math.round(threshold * whole)),
  );
}
