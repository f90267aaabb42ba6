import type { Span } from './span.ts';

/** Characters beside a place that are looked at. */
const reach = 100;
const street =
  'street|st|avenue|ave|road|rd|boulevard|blvd|lane|ln|drive|dr|court|ct|square|sq|way|place|pl|terrace|highway|hwy|parkway|pkwy';
/** A house number, up to five words and the kind of street, or a street of the German form, up to the place. */
const before = new RegExp(
  `(?:\\d{1,6}[A-Za-z]?[ \\t]+(?:[\\p{L}.'-]+[ \\t]+){1,5}(?:${street})\\.?|\\p{Lu}[\\p{L}-]*(?:straße|strasse|str\\.|weg|platz|allee|gasse)[ \\t]+\\d{1,5}[a-z]?)(?:,?[ \\t]+(?:apt|suite|unit|#)\\.?[ \\t]*[\\w-]{1,6})?,?[ \\t]*(?:\\d{4,5}[ \\t]+)?$`,
  'iu',
);
/** A state and a postal code, or a postal code, behind the place. */
const after = /^,?[ \t]*(?:[A-Z]{2}[ \t]+)?\d{5}(?:-\d{4})?(?!\d)/u;

/** The span of a place with the street line before it and the postal code behind it, where they stand on its line. */
export function growAddress(text: string, { start, end }: Span): Span {
  const left = text.slice(Math.max(0, start - reach), start);
  const right = text.slice(end, end + reach);
  const first = before.exec(left.slice(left.lastIndexOf('\n') + 1))?.[0].length ?? 0;
  const last = after.exec(right)?.[0].length ?? 0;
  return { start: start - first, end: end + last };
}
