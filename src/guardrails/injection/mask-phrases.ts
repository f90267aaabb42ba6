/** Replaces every occurrence of some phrases, whatever its case, by neutral text of the same length. */
export function maskPhrases(text: string, phrases: readonly string[]): string {
  let masked = text;
  for (const phrase of phrases) {
    const pattern = new RegExp(phrase.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'), 'gi');
    masked = masked.replace(pattern, ({ length }) => '\u00b7'.repeat(length));
  }
  return masked;
}
