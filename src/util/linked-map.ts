interface Link<Key, Value> {
  readonly key: Key;
  /** Undefined once it is removed. */
  value: Value | undefined;
  older: Link<Key, Value> | undefined;
  newer: Link<Key, Value> | undefined;
}

/**
 * A map for entries that live as long as requests: it finds the oldest entry immediately, however many were deleted,
 * and keeps no deleted entry in memory. A `Map` scans all deleted entries before the first live one, which with some
 * hundred thousand takes longer than a request; and its former tables keep their contents in memory
 * (docs/decisions/0025).
 */
export class LinkedMap<Key, Value extends NonNullable<unknown>> {
  readonly #links = new Map<Key, Link<Key, Value>>();
  #oldest: Link<Key, Value> | undefined;
  #newest: Link<Key, Value> | undefined;

  get size(): number {
    return this.#links.size;
  }

  /** The entry that was set before all others. */
  get oldest(): readonly [Key, Value] | undefined {
    const link = this.#oldest;
    return link?.value === undefined ? undefined : [link.key, link.value];
  }

  get(key: Key): Value | undefined {
    return this.#links.get(key)?.value;
  }

  /** Sets an entry, which becomes the newest one. */
  set(key: Key, value: Value): void {
    this.delete(key);
    const link = { key, value, older: this.#newest, newer: undefined };
    if (this.#newest === undefined) this.#oldest = link;
    else this.#newest.newer = link;
    this.#newest = link;
    this.#links.set(key, link);
  }

  delete(key: Key): void {
    const link = this.#links.get(key);
    if (link === undefined) return;
    this.#links.delete(key);
    const { older, newer } = link;
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
    // A removed link may stay in the old generation for a while and must keep nothing else alive.
    link.value = undefined;
    link.older = undefined;
    link.newer = undefined;
  }

  /** Deletes the oldest entry and calls back, repeatedly, while `isDue` is true for it. */
  dropWhile(isDue: (value: Value) => boolean, onDropped?: (value: Value) => void): void {
    for (let link = this.#oldest; link?.value !== undefined && isDue(link.value); link = this.#oldest) {
      const { key, value } = link;
      this.delete(key);
      onDropped?.(value);
    }
  }

  /** From the oldest to the newest. */
  *values(): Generator<Value, void> {
    for (let link = this.#oldest; link !== undefined; link = link.newer) {
      if (link.value !== undefined) yield link.value;
    }
  }
}
