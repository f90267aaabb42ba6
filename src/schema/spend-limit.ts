import { formatUsd, largestUsd, type NanoUsd, nearestUsd } from '../core/money.ts';
import { number } from '../util/json-schema.ts';
import { unit, withUnit } from './units.ts';

/** An amount of USD that may be spent. */
export const spendLimit = withUnit(
  unit('spend limit', 'an amount of USD', readLimit),
  number({ minimum: 0 }),
);

function readLimit(value: string): NanoUsd {
  const limit = nearestUsd(Number(value));
  // Rounded, it would be a limit of nothing.
  if (limit === 0n && Number(value) > 0) throw new RangeError('is finer than 0.000000001 USD');
  if (limit > largestUsd) throw new RangeError(`must be at most ${formatUsd(largestUsd)}; null is none`);
  return limit;
}
