/**
 * The candidate a mistyped word most likely meant, or undefined when none is near: at most two slips, and
 * fewer than half of the word's letters.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const limit = Math.min(2, Math.floor((word.length - 1) / 2));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** What to do about a mistyped word: write the candidate it most likely meant, else what is said instead. */
export function remedyFor(word: string, candidates: readonly string[], otherwise: string): string {
  const near = nearest(word, candidates);
  return near === undefined ? otherwise : `did you mean "${near}"?`;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
function editDistance(left: string, right: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const replaced = at(previous, column - 1) + (left[row - 1] === right[column - 1] ? 0 : 1);
      let distance = Math.min(replaced, at(previous, column) + 1, at(current, column - 1) + 1);
      if (left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]) {
        distance = Math.min(distance, at(beforePrevious, column - 2) + 1);
      }
      current.push(distance);
    }
    beforePrevious = previous;
    previous = current;
  }
  return at(previous, right.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
