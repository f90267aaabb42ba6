declare const nanoUsd: unique symbol;
declare const picoUsd: unique symbol;

/** An amount of money in integers of 1e-9 USD (docs/spec/money.md#money). May be negative. */
export type NanoUsd = bigint & { readonly [nanoUsd]: true };

/** A price in integers of 1e-12 USD per unit: a token, a request, an image or a search. */
export type PicoUsd = bigint & { readonly [picoUsd]: true };

const nanoDigits = 9;
const picoDigits = 12;
const tokenPriceDigits = picoDigits - 6;
const nanoPerUsd = 1e9;
const largestExact = BigInt(Number.MAX_SAFE_INTEGER);

/** The largest amount that the ledger can store: 64 bits, some nine billion USD. */
export const largestUsd = (2n ** 63n - 1n) as NanoUsd;

/** No money at all. */
export const zeroUsd = 0n as NanoUsd;

/** Marks an integer count of 1e-9 USD as money. */
export function nanoFromInteger(value: bigint | number): NanoUsd {
  return BigInt(value) as NanoUsd;
}

/** Adds amounts; without any the sum is zero. */
export function sumUsd(...amounts: readonly NanoUsd[]): NanoUsd {
  let total = 0n;
  for (const amount of amounts) total += amount;
  return total as NanoUsd;
}

/**
 * Reads a decimal amount of USD ("12.5", 0.000000001) exactly.
 * @throws RangeError when it is not a plain decimal number or finer than 1e-9 USD.
 */
export function parseUsd(decimal: string | number): NanoUsd {
  return scaleDecimal(decimal, nanoDigits) as NanoUsd;
}

/**
 * The amount nearest to a computed number of USD, 0 or more. Sums and parts of decimal fractions are not exact in
 * binary (0.1 + 0.2). Rounds half up.
 */
export function nearestUsd(value: number): NanoUsd {
  const [whole = '0', fraction = ''] = plainDecimal(value).split('.');
  const shown = BigInt(whole + fraction.slice(0, nanoDigits).padEnd(nanoDigits, '0'));
  return (fraction.charAt(nanoDigits) >= '5' ? shown + 1n : shown) as NanoUsd;
}

/**
 * Reads a price in USD per million tokens as pico-USD per token, exactly.
 * @throws RangeError when it is not a plain decimal number or finer than 1e-6 USD per million.
 */
export function parsePricePerMillion(decimal: string | number): PicoUsd {
  return scaleDecimal(decimal, tokenPriceDigits) as PicoUsd;
}

/** Reads a price in USD per single unit (request, image, search) as pico-USD, exactly. Throws like parseUsd. */
export function parsePricePerUnit(decimal: string | number): PicoUsd {
  return scaleDecimal(decimal, picoDigits) as PicoUsd;
}

/** Rounds an exact pico-USD total half up to nano-USD. */
export function roundToNano(pico: bigint): NanoUsd {
  const shifted = pico + 500n;
  const quotient = shifted / 1000n;
  return (shifted < 0n && shifted % 1000n !== 0n ? quotient - 1n : quotient) as NanoUsd;
}

/** The JSON number shown for an amount. Display only: never computed with again. */
export function usdToNumber(amount: NanoUsd): number {
  // Both are exact, so their quotient is the number nearest to the amount, which its text would parse to.
  if (amount <= largestExact && amount >= -largestExact) return Number(amount) / nanoPerUsd;
  return Number(formatScaled(amount, nanoDigits));
}

/** Like `usdToNumber`; null without an amount. */
export function usdOrNull(amount: NanoUsd | null | undefined): number | null {
  return amount === null || amount === undefined ? null : usdToNumber(amount);
}

/** The shortest exact decimal text of an amount in USD, such as "0.000021". */
export function formatUsd(amount: NanoUsd): string {
  return formatScaled(amount, nanoDigits);
}

/** The shortest exact decimal text of a price in USD per unit, such as "0.00000015". */
export function formatPrice(price: PicoUsd): string {
  return formatScaled(price, picoDigits);
}

function scaleDecimal(decimal: string | number, digits: number): bigint {
  const text = typeof decimal === 'number' ? plainDecimal(decimal) : decimal.trim();
  const match = /^([+-]?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (match === null) throw new RangeError(`"${text}" is not a decimal number`);
  const fraction = (match[3] ?? '').replace(/0+$/, '');
  if (fraction.length > digits) {
    throw new RangeError(`"${text}" has more than ${digits} digits after the decimal point`);
  }
  const magnitude = BigInt((match[2] ?? '0') + fraction.padEnd(digits, '0'));
  return match[1] === '-' ? -magnitude : magnitude;
}

function plainDecimal(value: number): string {
  const text = String(value);
  const match = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (match === null) return text;
  const exponent = Number(match[4]);
  const whole = match[2] ?? '0';
  const fraction = match[3] ?? '';
  if (exponent < 0) return `${match[1]}0.${'0'.repeat(-exponent - whole.length)}${whole}${fraction}`;
  return `${match[1]}${whole}${fraction.padEnd(exponent, '0')}`;
}

function formatScaled(value: bigint, digits: number): string {
  const magnitude = (value < 0n ? -value : value).toString().padStart(digits + 1, '0');
  const whole = magnitude.slice(0, -digits);
  const fraction = magnitude.slice(-digits).replace(/0+$/, '');
  const sign = value < 0n ? '-' : '';
  return fraction === '' ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
}
