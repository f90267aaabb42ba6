import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LinkedMap } from './linked-map.ts';

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom('set', 'delete', 'delete oldest', 'drop'),
    key: fc.nat(12),
    value: fc.string(),
  }),
  { maxLength: 80 },
);

/** Deletes from the front of a map what `LinkedMap` would drop, and returns it. */
function dropFrom(map: Map<number, string>, isDue: (value: string) => boolean): readonly string[] {
  const dropped: string[] = [];
  for (const [key, value] of [...map]) {
    if (!isDue(value)) break;
    map.delete(key);
    dropped.push(value);
  }
  return dropped;
}

test('it holds what a map holds, in the order in which entries were last set', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const linked = new LinkedMap<number, string>();
      const map = new Map<number, string>();
      for (const { kind, key, value } of all) {
        if (kind === 'drop') {
          const dropped: string[] = [];
          linked.dropWhile(
            (held) => held.length < 5 && linked.size > 2,
            (held) => dropped.push(held),
          );
          const due = dropFrom(map, (held) => held.length < 5 && map.size > 2);
          assert.deepEqual(dropped, due);
        } else if (kind === 'set') {
          linked.set(key, value);
          map.delete(key);
          map.set(key, value);
        } else {
          const target = kind === 'delete oldest' ? (linked.oldest?.[0] ?? key) : key;
          linked.delete(target);
          map.delete(target);
        }
        assert.equal(linked.size, map.size);
        assert.deepEqual(linked.oldest, [...map][0]);
        assert.deepEqual([...linked.values()], [...map.values()]);
        for (let asked = 0; asked <= 12; asked += 1) assert.equal(linked.get(asked), map.get(asked));
      }
    }),
  );
});
