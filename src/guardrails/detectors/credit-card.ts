import type { Span } from '../span.ts';

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
