/** A column of a table: its heading, and `right` for numbers. */
export interface Column {
  readonly heading: string;
  readonly align?: 'left' | 'right';
}

/** A table in plain text: columns two spaces apart, no spaces at line ends, a line break after each row. */
export function formatTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const all = [columns.map(({ heading }) => heading), ...rows.map((row) => row.map(visible))];
  // One after the other: a call takes no hundred thousand arguments.
  const widths = columns.map((_, index) =>
    all.reduce((widest, row) => Math.max(widest, width(row[index] ?? '')), 0),
  );
  return all.map((row) => `${formatRow(row, columns, widths)}\n`).join('');
}

/** Names and values under each other, for a single thing. */
export function formatPairs(pairs: readonly (readonly [string, string])[]): string {
  const longest = Math.max(0, ...pairs.map(([name]) => width(name)));
  return pairs
    .map(([name, value]) => `${name.padEnd(longest)}  ${visible(value)}`.trimEnd())
    .join('\n')
    .concat('\n');
}

function formatRow(row: readonly string[], columns: readonly Column[], widths: readonly number[]): string {
  const cells = columns.map(({ align }, index) => {
    const cell = row[index] ?? '';
    const gap = ' '.repeat((widths[index] ?? 0) - width(cell));
    return align === 'right' ? gap + cell : cell + gap;
  });
  return cells.join('  ').trimEnd();
}

/**
 * A text on one line, without what a terminal would obey: a name may hold line breaks, escape sequences and marks that turn
 * the direction of what follows, and not only operators give names. Such characters are shown as JSON writes them.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    const plain = JSON.stringify(character).slice(1, -1);
    return plain === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : plain;
  });
}

const segmenter = new Intl.Segmenter();

/** Columns that a text takes: a name may hold marks and pairs that take none of their own, and signs that take two. */
function width(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  return [...segmenter.segment(text)].reduce((sum, { segment }) => sum + (wide.test(segment) ? 2 : 1), 0);
}

/** Signs that terminals show in two columns (Unicode's East Asian width W and F, as scripts): writing of East Asia and pictures. */
const wide =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Emoji_Presentation}\u3000-\u30ff\uff01-\uff60\uffe0-\uffe6]|\ufe0f/u;
