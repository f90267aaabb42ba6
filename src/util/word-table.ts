/**
 * A table to look up words in that strangers wrote: without the members every object inherits, `constructor` is
 * as unknown as any other.
 */
export function wordTable<Value>(entries: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  return Object.assign(Object.create(null), entries);
}
