import type { Span } from '../span.ts';

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
