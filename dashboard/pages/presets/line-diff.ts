/** One line of two texts compared. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** How many pairs of lines are compared at most; beyond that the middle is shown as replaced. */
const mostPairs = 1_000_000;

/** The lines of two texts: what stayed, what went and what came, in order. */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const [one, two] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < one.length && start < two.length && one[start] === two[start]) start += 1;
  let end = 0;
  const most = Math.min(one.length, two.length) - start;
  while (end < most && one[one.length - 1 - end] === two[two.length - 1 - end]) end += 1;
  const as = (kind: DiffLine['kind'], lines: readonly string[]) => lines.map((text) => ({ kind, text }));
  const [gone, come] = [one.slice(start, one.length - end), two.slice(start, two.length - end)];
  return [
    ...as('same', one.slice(0, start)),
    ...(gone.length * come.length > mostPairs
      ? [...as('removed', gone), ...as('added', come)]
      : middle(gone, come)),
    ...as('same', one.slice(one.length - end)),
  ];
}

/** By the longest common subsequence. */
function middle(one: readonly string[], two: readonly string[]): readonly DiffLine[] {
  const width = two.length + 1;
  const common = new Uint32Array((one.length + 1) * width);
  const at = (row: number, column: number) => common[row * width + column] ?? 0;
  for (let row = one.length - 1; row >= 0; row -= 1) {
    for (let column = two.length - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        one[row] === two[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < one.length || column < two.length) {
    const [left, right] = [one[row], two[column]];
    if (left !== undefined && left === right) {
      lines.push({ kind: 'same', text: left });
      row += 1;
      column += 1;
    } else if (left !== undefined && (right === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ kind: 'removed', text: left });
      row += 1;
    } else {
      lines.push({ kind: 'added', text: right ?? '' });
      column += 1;
    }
  }
  return lines;
}

/** A long run of unchanged lines stands for itself by its number. */
export type DiffPart = DiffLine | { readonly kind: 'skipped'; readonly count: number };

/** The changed lines with a few around them. */
export function around(lines: readonly DiffLine[], context = 3): readonly DiffPart[] {
  const near = new Set<number>();
  for (const [index, { kind }] of lines.entries()) {
    if (kind === 'same') continue;
    for (let at = index - context; at <= index + context; at += 1) near.add(at);
  }
  const parts: DiffPart[] = [];
  let skipped = 0;
  const close = () => {
    if (skipped > 0) parts.push({ kind: 'skipped', count: skipped });
    skipped = 0;
  };
  for (const [index, line] of lines.entries()) {
    if (near.has(index)) {
      close();
      parts.push(line);
    } else skipped += 1;
  }
  close();
  return parts;
}
