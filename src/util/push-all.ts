/** Appends entries to an array, however many: a call fails with more than about 100,000 arguments. */
export function pushAll<Entry>(list: Entry[], entries: Iterable<Entry>): void {
  for (const entry of entries) list.push(entry);
}
