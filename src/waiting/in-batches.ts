/** Few enough for the connections of a database server, many enough to hide the wait for one. */
const largestBatch = 64;

/** The results of work on each item, in their order. Works on 64 items at a time: more calls at once exhaust a database. */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += largestBatch) {
    results.push(...(await Promise.all(items.slice(start, start + largestBatch).map(work))));
  }
  return results;
}
