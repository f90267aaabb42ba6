import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type HeatFacts,
  heatData,
  heatLevel,
  heatLevels,
  mostColumns,
  timeBound,
} from '../../dashboard/charts/heat-data.ts';

const hour = 3_600_000;
const midnight = Date.UTC(2026, 0, 1);

function seriesOf(bounds: readonly number[], counts: readonly (readonly number[])[]): HeatFacts {
  const starts = counts.map((_, index) => new Date(midnight + index * hour).toISOString());
  const times = { classes: { bounds_ms: bounds, counts } };
  return { starts, bucket: '1h', tz: 'UTC', last_is_partial: false, times };
}

test('each class is a row with counts, and shares of what its step answered', () => {
  const data = heatData(seriesOf([800, 1_000, 1_250], [[1, 3], [], [0, 0]]));
  assert.ok(data !== undefined);
  assert.deepEqual(
    data.series.map(({ label, values }) => [label, values]),
    [
      ['800 ms to 1 s', [0.25, undefined, undefined]],
      ['1 s to 1.25 s', [0.75, undefined, undefined]],
    ],
  );
  const [low, high] = data.series;
  assert.deepEqual([low?.text(0), high?.exact(0), data.total?.(0)], ['1 (25%)', '3', '4']);
  assert.deepEqual([low?.level?.(0), high?.level?.(0), high?.level?.(1)], [4, 5, 0]);
});

test('of more steps than there is room for, neighbours are one, and no answer is lost', () => {
  const counts = Array.from({ length: 400 }, (_, index) => [index % 3, 1]);
  const data = heatData(seriesOf([100, 200, 500], counts));
  assert.ok(data !== undefined);
  assert.ok(data.starts.length <= mostColumns);
  assert.equal(Date.parse(data.starts[1] ?? '') - midnight, 7 * hour);
  const sum = data.series.flatMap(({ exact }) => data.starts.map((_, index) => Number(exact(index))));
  assert.equal(
    sum.reduce((all, one) => all + one, 0),
    counts.flat().reduce((all, one) => all + one, 0),
  );
  assert.deepEqual(data.total?.(0), '13');
});

test('where nothing was answered there are no classes, and without times nothing at all', () => {
  const data = heatData({ ...seriesOf([], [[], []]), times: { classes: null } });
  assert.deepEqual([data?.series, data?.starts.length], [[], 2]);
  assert.equal(heatData({ ...seriesOf([], []), times: null }), undefined);
});

test('colours begin above nothing and rise with the share', () => {
  assert.deepEqual([undefined, 0, 0.001, 0.05, 0.1, 0.2, 0.4, 1].map(heatLevel), [0, 0, 1, 2, 3, 4, 5, 5]);
  assert.equal(heatLevels.length, 5);
});

test('bounds have all their digits', () => {
  assert.deepEqual([0, 1.25, 315, 1_000, 12_500, 315_000].map(timeBound), [
    '0 ms',
    '1.25 ms',
    '315 ms',
    '1 s',
    '12.5 s',
    '315 s',
  ]);
});
