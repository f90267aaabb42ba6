import { isIPv6 } from 'node:net';
import type { Span } from '../span.ts';

const number = /(?<![\d\p{L}]|\d-)(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?!-?\d|\p{L})/gu;

/** Social security numbers of the United States in groups of 3, 2 and 4 digits; never issued ones do not count. */
export function findSocialSecurityNumbers(text: string): readonly Span[] {
  return Array.from(text.matchAll(number), ({ index, 0: found }) => ({
    start: index,
    end: index + found.length,
  }));
}

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

const fewest = 13;
const most = 19;
/** Digits with single blanks or dashes between them. */
const run = /\d(?:[ -]?\d){12,}/g;

/** Card numbers: 13 to 19 digits, blanks and dashes allowed between them, with a valid check digit. */
export function findCreditCards(text: string): readonly Span[] {
  const spans: Span[] = [];
  for (const { index, 0: found } of text.matchAll(run)) findIn(found, index, spans);
  return spans;
}

/** Looks for a number at the start of each group of digits in a run, the longest one first. */
function findIn(found: string, offset: number, spans: Span[]): void {
  const places: number[] = [];
  for (let at = 0; at < found.length; at += 1) if (isDigit(found, at)) places.push(at);
  let next = 0;
  while (next + fewest <= places.length) {
    const start = places[next] ?? 0;
    const length = isDigit(found, start - 1) ? 0 : lengthOfCard(found, places, next);
    if (length > 0) spans.push({ start: offset + start, end: offset + (places[next + length - 1] ?? 0) + 1 });
    next += Math.max(1, length);
  }
}

function lengthOfCard(found: string, places: readonly number[], first: number): number {
  for (let length = Math.min(most, places.length - first); length >= fewest; length -= 1) {
    const end = places[first + length - 1] ?? 0;
    if (!isDigit(found, end + 1) && hasValidSum(found, places, first, length)) return length;
  }
  return 0;
}

function hasValidSum(found: string, places: readonly number[], first: number, length: number): boolean {
  let sum = 0;
  for (let place = 0; place < length; place += 1) {
    const digit = found.charCodeAt(places[first + length - 1 - place] ?? 0) - 48;
    const doubled = digit * 2;
    sum += place % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum > 0 && sum % 10 === 0;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

const longestLocal = 64;
const local = /[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]/u;
const domain =
  /(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}(?:\p{L}{2,63}|xn--[a-z0-9-]{1,59})/uy;

/** Addresses of mail: a local part, `@`, and a domain with a top level of two letters or more. */
export function findEmails(text: string): readonly Span[] {
  const spans: Span[] = [];
  // Around each @: searching for local parts first would take quadratic time.
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    domain.lastIndex = at + 1;
    const found = domain.exec(text)?.[0];
    if (found === undefined) continue;
    const start = startOf(text, at, spans.at(-1)?.end ?? 0);
    if (start < at) spans.push({ start, end: at + 1 + found.length });
  }
  return spans;
}

function startOf(text: string, at: number, floor: number): number {
  const least = Math.max(floor, at - longestLocal);
  let start = at;
  while (start > least && local.test(text.charAt(start - 1))) start -= 1;
  // Quotes and dots around an address are no part of it.
  while (start < at && /[.'`{|}!#$%&*/=?^]/.test(text.charAt(start))) start += 1;
  return start;
}

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const version4 = new RegExp(`(?<![\\d.]|\\d-)(?:${octet}\\.){3}${octet}(?![\\d]|\\.\\d)`, 'g');
const version6 = /(?<![\w:.])[0-9A-Fa-f:]{2,39}(?:\.\d{1,3}){0,3}(?![\w:])/g;

/** Addresses of IPv4 in four octets, and of IPv6. */
export function findIpAddresses(text: string): readonly Span[] {
  const spans: Span[] = [];
  for (const { index, 0: found } of text.matchAll(version6)) {
    if (found.indexOf(':') === found.lastIndexOf(':') || !/[0-9a-f]/i.test(found) || !isIPv6(found)) continue;
    spans.push({ start: index, end: index + found.length });
  }
  for (const { index, 0: found } of text.matchAll(version4)) {
    spans.push({ start: index, end: index + found.length });
  }
  return spans;
}
