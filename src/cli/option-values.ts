import { InvalidArgumentError } from 'commander';
import { formatUsd, largestUsd, type NanoUsd, parseUsd } from '../core/money.ts';
import { isCalendarDay } from '../util/utc-windows.ts';

/** An amount of USD from 0. */
export function parseAmount(text: string): NanoUsd {
  const amount = readUsd(text);
  if (amount < 0n) throw new InvalidArgumentError('It must not be below 0.');
  return amount;
}

/** An amount of USD above 0. */
export function parsePositiveAmount(text: string): NanoUsd {
  const amount = readUsd(text);
  if (amount <= 0n) throw new InvalidArgumentError('It must be above 0.');
  return amount;
}

/** An amount of USD above or below 0. */
export function parseSignedAmount(text: string): NanoUsd {
  const amount = readUsd(text);
  if (amount === 0n) throw new InvalidArgumentError('It must not be 0.');
  return amount;
}

/** `true` or `false`. */
export function parseSwitch(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('It must be true or false.');
  return text === 'true';
}

/** A point in time, as Unix milliseconds; a date alone is its start in UTC. */
export function parseTime(text: string): number {
  const isIso = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const time = isIso && isCalendarDay(text.slice(0, 10)) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) {
    throw new InvalidArgumentError('It must be a time such as 2027-01-31T00:00:00Z.');
  }
  return time;
}

/** A whole number from 1 to 999999. */
export function parseCount(text: string): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (count < 1) throw new InvalidArgumentError('It must be a whole number from 1 to 999999.');
  return count;
}

/** A key's hash or the beginning of one. */
export function parseHash(text: string): string {
  const hash = text.toLowerCase();
  if (!/^[0-9a-f]{1,64}$/.test(hash)) {
    throw new InvalidArgumentError('It must be the hash of "headgate keys list", or its beginning.');
  }
  return hash;
}

/** Text that is not empty. */
export function parseText(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}

function readUsd(text: string): NanoUsd {
  let amount: NanoUsd;
  try {
    amount = parseUsd(text);
  } catch {
    throw new InvalidArgumentError('It must be an amount of USD such as 12.50, with at most 9 decimals.');
  }
  if (amount <= largestUsd && amount >= -largestUsd) return amount;
  throw new InvalidArgumentError(`It must be at most ${formatUsd(largestUsd)} USD.`);
}
