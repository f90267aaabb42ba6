import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  cumulative,
  highest,
  labelledSteps,
  lowest,
  type PlotSeries,
  stackOf,
  toneOf,
} from '../../dashboard/charts/plot-data.ts';

const seriesOf = (tone: number, values: readonly (number | undefined)[]): PlotSeries => ({
  label: `s${tone}`,
  tone,
  values,
  text: String,
  exact: String,
});

test('bars stand on each other without gaps, and nothing is drawn for zero', () => {
  const series = [seriesOf(1, [2, 0]), seriesOf(2, [undefined, 0]), seriesOf(3, [5, 0])];
  assert.deepEqual(stackOf(series, 0), [
    { tone: 1, from: 0, to: 2 },
    { tone: 3, from: 2, to: 7 },
  ]);
  assert.deepEqual(stackOf(series, 1), []);
  assert.equal(highest(series, 2, true), 7);
  assert.equal(highest(series, 2, false), 5);
  assert.equal(lowest(series), 2);
  assert.equal(lowest([]), undefined);
});

test('a share over bars is no bar, and takes no part in how high they are', () => {
  const series = [seriesOf(1, [2]), { ...seriesOf(0, [900]), isRate: true as const }];
  assert.deepEqual(stackOf(series, 0), [{ tone: 1, from: 0, to: 2 }]);
  assert.equal(highest(series, 1, true), 2);
});

test('labels fit, and begin with the first step', () => {
  assert.deepEqual(labelledSteps(24, 600, 50), [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22]);
  assert.deepEqual(labelledSteps(3, 10, 50), [0]);
  assert.deepEqual(labelledSteps(0, 600, 50), []);
});

test('a group keeps its colour, and others have their own', () => {
  const known = new Map<string, number>();
  assert.deepEqual(
    ['a', 'b', 'a', null].map((value) => toneOf(known, value)),
    [1, 2, 1, 0],
  );
  for (const value of 'cdefgh') toneOf(known, value);
  assert.equal(toneOf(known, 'a'), 1);
  assert.ok([...known.values()].every((tone) => tone >= 1 && tone <= 6));
});

test('sums over time end at the total', () => {
  assert.deepEqual(cumulative([1, 0, 4]), [1, 1, 5]);
});
