/** A column of a table: its heading, and `right` for numbers. */
export interface Column {
  readonly heading: string;
  readonly align?: 'left' | 'right';
}

/** A table in plain text: columns two spaces apart, no spaces at line ends, a line break after each row. */
export function formatTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const all = [columns.map(({ heading }) => heading), ...rows];
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
    .map(([name, value]) => `${name.padEnd(longest)}  ${value}`.trimEnd())
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

const segmenter = new Intl.Segmenter();

/** Characters a person sees; a name may hold marks and pairs that take no column of their own. */
function width(text: string): number {
  return /^[ -~]*$/.test(text) ? text.length : [...segmenter.segment(text)].length;
}
