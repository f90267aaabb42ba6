import type { Span } from '../span.ts';

/** Ten digits as they are written in North America: 3-3-4, bare or parted, with or without a country code. */
const national =
  /(?<![\d\p{L}]|\d[.,-])(?:\+?\d{1,3}[ .-]?(?=\(|\d{3}[ .-]))?(?:\(\d{3}\)[ .-]?|\d{3}[ .-]?)\d{3}[ .-]?\d{4}(?!\d|[.,-]\d|\p{L})/gu;
/** A plus, a country code, and seven to twelve further digits in any groups. */
const international = /(?<![\d+])\+\d{1,3}(?:[ .-]?(?:\(\d{1,5}\)|\d{1,5})){1,7}(?!\d)/g;

/** Seconds since 1970 of this time: no area code begins with 1. */
const timestamp = /^1[5-9]\d{8}$/;
const fewestDigits = 10;
const mostDigits = 15;

/** Phone numbers: ten digits, or more behind a plus, that are no part of a longer run of digits. */
export function findPhones(text: string): readonly Span[] {
  const spans: Span[] = [];
  for (const { index, 0: found } of text.matchAll(national)) {
    if (timestamp.test(found) || isEndOfUuid(text, index, found)) continue;
    spans.push({ start: index, end: index + found.length });
  }
  if (!text.includes('+')) return spans;
  const known = spans.length;
  let next = 0;
  for (const { index, 0: found } of text.matchAll(international)) {
    const digits = found.replace(/\D/g, '').length;
    if (digits < fewestDigits || digits > mostDigits) continue;
    const span = { start: index, end: index + found.length };
    while (next < known && (spans[next]?.end ?? 0) <= span.start) next += 1;
    const other = next < known ? spans[next] : undefined;
    if (other === undefined || other.start >= span.end) spans.push(span);
  }
  return spans;
}

/** Whether twelve digits are the last group of a UUID. */
function isEndOfUuid(text: string, index: number, found: string): boolean {
  return /^\d{12}$/.test(found) && /^-[\da-f]{4}-$/i.test(text.slice(Math.max(0, index - 6), index));
}
