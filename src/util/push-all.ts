/** Appends entries to a list, however many: as arguments of one call more than about 100,000 are too many. */
export function pushAll<Entry>(list: Entry[], entries: Iterable<Entry>): void {
  for (const entry of entries) list.push(entry);
}
