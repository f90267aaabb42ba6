const targets = ['ignore', 'bypass', 'override', 'reveal', 'delete', 'system', 'prompt', 'instructions'];

const byShape = Map.groupBy(targets, shapeOf);
const lengths = new Set(targets.map(({ length }) => length));

/**
 * Whether a text has a word that models read as one of a few commands although its inner letters stand in another
 * order, such as `ignroe`.
 */
export function hasScrambledWord(text: string): boolean {
  for (const [word] of text.matchAll(/(?<![\p{L}\p{N}_-])[A-Za-z]{6,12}(?![\p{L}\p{N}_-])/gu)) {
    if (!lengths.has(word.length)) continue;
    const small = word.toLowerCase();
    if (byShape.get(shapeOf(small))?.includes(small) === false) return true;
  }
  return false;
}

/** First and last letter, and the inner ones in order. */
function shapeOf(word: string): string {
  return `${word.charAt(0)}${[...word.slice(1, -1)].sort().join('')}${word.at(-1) ?? ''}`;
}
