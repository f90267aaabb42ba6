import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inOrder, isBeforeAdmission, type StagePlace } from './order.ts';

test('stages stand in the order of the table, those of one place as they were registered', () => {
  const places: readonly StagePlace[] = ['response-healing', 'web-search', 'input-scan', 'defaults'];
  const stages = [...places, ...places].map((place, index) => ({ place, index }));
  assert.deepEqual(
    inOrder(stages).map(({ index }) => index),
    [3, 7, 2, 6, 1, 5, 0, 4],
  );
});

test('defaults are merged before the limits of the caller are judged, everything else after', () => {
  assert.ok(isBeforeAdmission('defaults'));
  assert.ok(!isBeforeAdmission('restrictions'));
});
