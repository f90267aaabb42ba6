import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Enrolled, UnorderedSet } from './unordered-set.ts';

test('whatever order members leave in, once or twice, those who stay are known', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(9)), { maxLength: 60 }), (steps) => {
      const set = new UnorderedSet<number>();
      const entered: Enrolled<number>[] = [];
      const present = new Set<number>();
      for (const [enters, which] of steps) {
        const one = entered[which];
        if (enters) {
          present.add(entered.length);
          entered.push(set.enter(entered.length));
        } else if (one !== undefined) {
          assert.equal(set.leave(one), present.delete(one.member));
        }
        assert.equal(set.size, present.size);
        assert.deepEqual(new Set(set.members()), present);
      }
    }),
  );
});
