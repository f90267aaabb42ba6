import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LinkedMap } from './linked-map.ts';

const steps = fc.array(
  fc.record({ kind: fc.constantFrom('set', 'delete', 'drop oldest'), key: fc.nat(12), value: fc.string() }),
  { maxLength: 80 },
);

test('it holds what a map holds, in the order in which entries were last set', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const linked = new LinkedMap<number, string>();
      const map = new Map<number, string>();
      for (const { kind, key, value } of all) {
        const target = kind === 'drop oldest' ? (linked.oldest?.[0] ?? key) : key;
        linked.delete(target);
        map.delete(target);
        if (kind === 'set') {
          linked.set(key, value);
          map.set(key, value);
        }
        assert.equal(linked.size, map.size);
        assert.deepEqual(linked.oldest, [...map][0]);
        assert.deepEqual([...linked.values()], [...map.values()]);
        for (let asked = 0; asked <= 12; asked += 1) assert.equal(linked.get(asked), map.get(asked));
      }
    }),
  );
});
