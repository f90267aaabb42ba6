import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mostClasses, timeClasses } from './cells.ts';

test('times that are close together get fine classes, each from its bound on', () => {
  assert.deepEqual(timeClasses([[100, 124.9], [], [125, 159, 200]]), {
    bounds: [100, 125, 160, 200, 250],
    counts: [
      [2, 0, 0, 0],
      [0, 0, 0, 0],
      [0, 2, 0, 1],
    ],
  });
  assert.deepEqual(timeClasses([[0, 0.4]]), { bounds: [0, 1], counts: [[2]] });
  assert.equal(timeClasses([[], []]), undefined);
});

test('times that lie far apart get coarser ones, never more than twenty', () => {
  const bounds = (...times: readonly number[]) => timeClasses([times])?.bounds ?? [];
  assert.deepEqual(bounds(10, 990).length - 1, 20);
  assert.deepEqual(bounds(10, 1_000).slice(0, 3), [10, 16, 25]);
  assert.deepEqual(bounds(1, 600_000).slice(0, 4), [1, 2, 5, 10]);
  assert.deepEqual(bounds(0, 1e14).slice(0, 4), [0, 1, 10, 100]);
});

test('every time is counted once, in the class it lies in', () => {
  const times = fc.array(
    fc.oneof(fc.double({ min: 0, max: 1e7, noNaN: true }), fc.nat(100_000), fc.constant(1e18)),
  );
  fc.assert(
    fc.property(fc.array(times, { maxLength: 8 }), (steps) => {
      const found = timeClasses(steps);
      if (found === undefined) return assert.equal(steps.flat().length, 0);
      const { bounds, counts } = found;
      assert.ok(bounds.length - 1 <= mostClasses);
      counts.forEach((row, step) => {
        assert.equal(row.length, bounds.length - 1);
        row.forEach((count, place) => {
          const [from = 0, to = 0] = bounds.slice(place, place + 2);
          const isLast = place === row.length - 1;
          const within = (steps[step] ?? []).filter((time) => time >= from && (time < to || isLast));
          assert.equal(count, within.length);
        });
      });
    }),
  );
});
