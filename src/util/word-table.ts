/**
 * A table for looking up foreign words: it has no inherited members, so `constructor` is as unknown as any other
 * word.
 */
export function wordTable<Value>(entries: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  return Object.assign(Object.create(null), entries);
}
