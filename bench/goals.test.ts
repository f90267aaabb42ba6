import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Figure } from './figures.ts';
import { judge } from './goals.ts';

const rate: Figure = {
  key: 'unstreamed.requests_per_second',
  label: 'requests',
  unit: 'requests/s',
  better: 'higher',
  yardstick: 1000,
  subject: 600,
  ratio: 0.6,
};

test('a ratio is compared with its goal, which is met when it is reached', () => {
  assert.deepEqual(judge(rate), { of: 'ratio', limit: 0.6, reached: 0.6, met: true });
  assert.equal(judge({ ...rate, ratio: 0.59 })?.met, false);
  assert.equal(judge({ ...rate, ratio: 0.59, interval: [0.57, 0.6] })?.met, true);
});

test('a time is to stay below its limit, a difference below its own', () => {
  const time: Figure = {
    ...rate,
    key: 'latency.half_load.p50',
    better: 'lower',
    yardstick: 0.1,
    subject: 0.31,
  };
  assert.equal(judge(time)?.met, false);
  const added: Figure = { ...time, key: 'engines.half_load.p50', yardstick: 0.5, subject: 0.8 };
  assert.equal(judge(added)?.met, true);
  assert.equal(judge({ ...added, subject: 1 })?.met, false);
});

test('figures without a goal, or that could not be measured, are not judged', () => {
  assert.equal(judge({ ...rate, key: 'unstreamed.cpu_microseconds_per_request' }), undefined);
  assert.equal(judge({ ...rate, ratio: Number.NaN }), undefined);
});
