/** Money arrives as whole nano-USD in decimal text; nothing here ever makes a binary fraction of it. */
const billion = 1_000_000_000n;

const grouped = (digits: bigint) => digits.toString().replace(/\B(?=(\d{3})+$)/g, ',');

/** An amount of nano-USD, exact: `$0.022437000`. */
export function exactUsd(nano: string | bigint): string {
  const amount = BigInt(nano);
  const [sign, size] = amount < 0n ? ['−', -amount] : ['', amount];
  return `${sign}$${grouped(size / billion)}.${(size % billion).toString().padStart(9, '0')}`;
}

/** An amount of nano-USD, exact and as programs read it: `0.022437000`. */
export function decimalUsd(nano: string | bigint): string {
  const amount = BigInt(nano);
  const [sign, size] = amount < 0n ? ['-', -amount] : ['', amount];
  return `${sign}${size / billion}.${(size % billion).toString().padStart(9, '0')}`;
}

/** An amount of nano-USD to read: two decimals from a dollar, else four figures. */
export function usd(nano: string | bigint): string {
  const amount = BigInt(nano);
  const [sign, size] = amount < 0n ? ['−', -amount] : ['', amount];
  if (size === 0n) return '$0';
  if (size >= billion) return `${sign}$${rounded(size, 2)}`;
  const lead = size.toString().padStart(9, '0').search(/[1-9]/);
  const text = rounded(size, Math.min(9, lead + 4)).replace(/0+$/, '');
  return `${sign}$${text.replace(/\.(\d?)$/, (_, last: string) => `.${last.padEnd(2, '0')}`)}`;
}

function rounded(size: bigint, decimals: number): string {
  const unit = 10n ** BigInt(9 - decimals);
  const units = (size + unit / 2n) / unit;
  const scale = 10n ** BigInt(decimals);
  const fraction = (units % scale).toString().padStart(decimals, '0');
  return `${grouped(units / scale)}${decimals === 0 ? '' : `.${fraction}`}`;
}

/** A price for one unit in pico-USD, as people know it: USD for a million. */
export function perMillion(pico: string | bigint): string {
  // A million units of 1e-12 USD are 1e-6 USD, that is a thousand nano-USD.
  return usd(BigInt(pico) * 1000n);
}

const whole = new Intl.NumberFormat('en');

/** Every digit of a count: `84,120`. */
export function count(value: number): string {
  return whole.format(value);
}

const suffixes = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const;

/** A count to read: `12.3k`, `1.92M`. */
export function short(value: number): string {
  for (const [size, suffix] of suffixes) {
    if (Math.abs(value) < size * 0.9995) continue;
    return `${Number((value / size).toPrecision(3))}${suffix}`;
  }
  return whole.format(Math.round(value * 10) / 10);
}

/** Milliseconds to read: `412 ms`, `3.1 s`, `2 min`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

/** A part of a whole: `61%`, `0.8%`; a dash where there is no whole. */
export function share(part: number, all: number): string {
  if (all === 0) return '–';
  return percent(part / all);
}

/** A share as text. */
export function percent(value: number): string {
  const hundred = value * 100;
  if (hundred === 0) return '0%';
  if (hundred < 0.01) return '<0.01%';
  return `${Number(hundred.toFixed(hundred < 1 ? 2 : hundred < 10 ? 1 : 0))}%`;
}

/** USD that a route gives as a number, as nano-USD; only for amounts that are exact to nine decimals. */
export function nanoOf(dollars: number): bigint {
  return BigInt(Math.round(dollars * 1e9));
}

/** How one count compares with another, as a signed share; undefined where there is nothing to compare with. */
export function change(now: number | bigint, before: number | bigint): number | undefined {
  if (Number(before) === 0) return undefined;
  return Number(now) / Number(before) - 1;
}

/** One or many: `1 request`, `2 requests`. */
export function many(value: number, one: string, several = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : several}`;
}

const bidi = /[\p{Cc}\p{Bidi_Control}]/gu;

/** Text from outside as it may be shown: characters that hide or reorder others are written out. */
export function plain(text: string): string {
  return text.replace(bidi, (mark) =>
    mark === '\n' || mark === '\t' ? ' ' : `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A text of several lines from outside as it may be shown: like `plain`, with its lines and tabs. */
export function shown(text: string): string {
  return text.replace(/[^\n\t]+/g, plain);
}

/** A size in bytes to read: `412 kB`, `1.2 MB`, `3.4 GB`. */
export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  if (value < 1e6) return `${Math.round(value / 1000)} kB`;
  return value < 1e9 ? `${(value / 1e6).toFixed(1)} MB` : `${(value / 1e9).toFixed(1)} GB`;
}

/** An amount of pico-USD with all its digits, trailing zeros left out: `$0.0061620045`. */
export function exactPico(pico: string | bigint): string {
  const amount = BigInt(pico);
  const [sign, size] = amount < 0n ? ['−', -amount] : ['', amount];
  const unit = billion * 1000n;
  const fraction = (size % unit).toString().padStart(12, '0').replace(/0+$/, '').padEnd(2, '0');
  return `${sign}$${grouped(size / unit)}.${fraction}`;
}

/** A price in USD a unit, as decimal text, in whole pico-USD. */
export function picoOf(price: string): bigint {
  const [, sign = '', units = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(price) ?? [];
  const size = BigInt(units) * 1_000_000_000_000n + BigInt(fraction.slice(0, 12).padEnd(12, '0'));
  return sign === '-' ? -size : size;
}

/** A price for a token, as USD a million: `$0.15`; routers have none. */
export function tokenPrice(price: string): string {
  return price.startsWith('-') ? 'varies' : perMillion(picoOf(price));
}
