/** How many times lie in each class, step by step. */
export interface TimeClasses {
  /** Where each class begins, ascending, and where the last one ends; milliseconds. */
  readonly bounds: readonly number[];
  /** For each step, one count a class. */
  readonly counts: readonly (readonly number[])[];
}

/** Classes of one answer at most. */
export const mostClasses = 20;

/** Times that are longer are counted with these: 31,000 years. */
const longest = 1e15;

/** How a power of ten is divided, the finest first. */
const ladders = [[1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8], [1, 1.6, 2.5, 4, 6.3], [1, 2, 5], [1]].map(
  boundsOf,
);

/**
 * Sorts times into logarithmic classes, as fine as 20 of them allow (docs/spec/dashboard.md#charts).
 * @param steps The times of each step in milliseconds.
 * @returns Undefined without any time.
 */
export function timeClasses(steps: readonly (readonly number[])[]): TimeClasses | undefined {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const times of steps) {
    for (const time of times) {
      least = Math.min(least, time);
      most = Math.max(most, time);
    }
  }
  if (least === Number.POSITIVE_INFINITY) return undefined;
  const ladder = ladders.find((one) => placeOf(one, most) - placeOf(one, least) < mostClasses) ?? [];
  const [first, last] = [placeOf(ladder, least), placeOf(ladder, most)];
  const counts = steps.map((times) => {
    const found = Array.from({ length: last - first + 1 }, () => 0);
    for (const time of times) {
      const place = placeOf(ladder, time) - first;
      found[place] = (found[place] ?? 0) + 1;
    }
    return found;
  });
  return { bounds: ladder.slice(first, last + 2), counts };
}

/** Where classes begin, from zero on; what is shorter than the first rung is one class. */
function boundsOf(rungs: readonly number[]): readonly number[] {
  const bounds = [0];
  for (let decade = 1; decade <= longest; decade *= 10) {
    // Products such as 3.15 × 10 are not always exact.
    for (const rung of rungs) bounds.push(Number((rung * decade).toPrecision(4)));
  }
  return bounds;
}

/** The class that a time lies in; the last bound only ends a class. */
function placeOf(bounds: readonly number[], time: number): number {
  let [low, high] = [0, bounds.length - 2];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((bounds[middle] ?? 0) <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}
