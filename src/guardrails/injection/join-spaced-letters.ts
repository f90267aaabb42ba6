const fewestLetters = 4;
/** Single letters with blanks between them. */
const run = /(?<![\p{L}\p{N}])\p{L}(?:[ \t]+\p{L}(?![\p{L}\p{N}])){3,}/gu;

/**
 * A text in which single letters that stand apart are joined to words, as in `r e v e a l  p r o m p t`: single blanks
 * vanish and wider gaps become one. Undefined where no four letters stand so.
 */
export function joinSpacedLetters(text: string): string | undefined {
  let isChanged = false;
  const joined = text.replace(run, (letters) => {
    if (letters.replace(/\s/g, '').length < fewestLetters) return letters;
    isChanged = true;
    return letters.replace(/[ \t]+/g, (gap) => (gap.length > 1 ? ' ' : ''));
  });
  return isChanged ? joined : undefined;
}
