import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Generation } from '../../ports/generations.ts';
import type { CallPlace } from '../../ports/usage.ts';
import { mergeCalls } from './calls.ts';

const range = { from: 0, to: 100 };
const call = fc.record({
  settledAt: fc.integer({ min: 0, max: 20 }),
  id: fc.string({ minLength: 1, maxLength: 3 }),
});
const isAfter = (place: CallPlace) => (one: CallPlace) =>
  one.settledAt < place.settledAt || (one.settledAt === place.settledAt && one.id < place.id);
const newestFirst = (one: CallPlace, other: CallPlace) => (isAfter(one)(other) ? -1 : 1);
const generationOf = (place: CallPlace) => place as unknown as Generation;

test('pages of two lists together hold every call once, newest first, however far each was read', () => {
  const lists = fc.uniqueArray(call, { selector: ({ id }) => id, maxLength: 30 });
  fc.assert(
    fc.property(
      lists,
      fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 5 }),
      (all, sides, limit, reach) => {
        const sorted = all.toSorted(newestFirst);
        const kind = new Map(all.map((one, index) => [one, sides[index]]));
        const found: CallPlace[] = [];
        let before: CallPlace | undefined;
        for (let pages = 0; pages < 100; pages += 1) {
          const left = before === undefined ? sorted : sorted.filter(isAfter(before));
          const served = left.filter((one) => kind.get(one) === true);
          const refused = left.filter((one) => kind.get(one) === false).slice(0, limit);
          // The store may stop early, as it does after many records that do not fit.
          const read = served.slice(0, Math.min(limit, reach));
          const merged = mergeCalls(
            {
              generations: read.map(generationOf),
              next: read.length < served.length ? read.at(-1) : undefined,
              searchedTo: read.at(-1)?.settledAt ?? 0,
            },
            refused.map((place) => ({
              generation: generationOf(place),
              refusal: { status: 429, message: '' },
            })),
            { range, limit },
          );
          assert.ok(merged.calls.length <= limit);
          found.push(...merged.calls.map(({ generation }) => generation));
          before = merged.next;
          if (before === undefined) break;
        }
        assert.deepEqual(found, sorted);
      },
    ),
  );
});
