/** A server has few connections, and nobody waits long for one. */
const largestBatch = 64;

/** What work on each item comes to, in their order, some of it at a time: a crowd of calls is refused by a database. */
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
