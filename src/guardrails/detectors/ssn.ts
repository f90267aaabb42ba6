import type { Span } from '../span.ts';

const number = /(?<![\d\p{L}]|\d-)(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?!-?\d|\p{L})/gu;

/** Social security numbers of the United States in groups of 3, 2 and 4 digits; never issued ones do not count. */
export function findSocialSecurityNumbers(text: string): readonly Span[] {
  return Array.from(text.matchAll(number), ({ index, 0: found }) => ({
    start: index,
    end: index + found.length,
  }));
}
