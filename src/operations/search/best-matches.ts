/** Something that can be found by its names. */
export interface Findable {
  /** What people may type, the most telling first. */
  readonly names: readonly string[];
}

/** Those that have every word of a text in their names, the best first: whole names, then beginnings, then the rest. */
export function bestMatches<Item extends Findable>(
  text: string,
  items: readonly Item[],
  most: number,
): readonly Item[] {
  const asked = text.toLowerCase();
  const words = asked.split(/\s+/);
  return items
    .flatMap((item) => {
      const names = item.names.map((name) => name.toLowerCase());
      const all = names.join(' ');
      if (!words.every((word) => all.includes(word))) return [];
      return [{ item, rank: rankOf(asked, names), length: names[0]?.length ?? 0 }];
    })
    .toSorted((left, right) => left.rank - right.rank || left.length - right.length)
    .slice(0, most)
    .map(({ item }) => item);
}

function rankOf(asked: string, names: readonly string[]): number {
  if (names.includes(asked)) return 0;
  if (names.some((name) => name.startsWith(asked))) return 1;
  return names.some((name) => name.split(/[^\p{L}\p{N}]+/u).some((part) => part.startsWith(asked))) ? 2 : 3;
}
