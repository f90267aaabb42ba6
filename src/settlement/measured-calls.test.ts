import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MeasuredCalls } from './measured-calls.ts';

function addAll(calls: MeasuredCalls, outputs: readonly number[], cacheRead = 0): void {
  for (const output of outputs)
    calls.add('key', 'acme/atlas', { uncachedInput: 100 - cacheRead, cacheRead, output }, 500);
}

test('a key and a model are known after 20 calls, by what is the same in all of them exactly', () => {
  const calls = new MeasuredCalls();
  addAll(calls, Array<number>(19).fill(200), 80);
  assert.equal(calls.of('key', 'acme/atlas'), undefined);
  addAll(calls, [200], 80);
  const { cachedShare = 0, output, time } = calls.of('key', 'acme/atlas') ?? {};
  assert.deepEqual([Math.round(cachedShare * 1e9), output, time], [8e8, 200, 500]);
  assert.equal(calls.of('key', 'acme/other'), undefined);
  assert.equal(calls.of('other', 'acme/atlas'), undefined);
});

test('calls that differ are taken for longer, and less cached, than they are on average', () => {
  const calls = new MeasuredCalls();
  for (let round = 0; round < 20; round += 1) {
    addAll(calls, [100], 0);
    addAll(calls, [300], 80);
  }
  const { cachedShare = 1, output = 0 } = calls.of('key', 'acme/atlas') ?? {};
  assert.ok(output > 250 && output <= 320, String(output));
  assert.ok(cachedShare < 0.2, String(cachedShare));
});

test('what calls were like long ago is forgotten', () => {
  const calls = new MeasuredCalls();
  addAll(calls, Array<number>(50).fill(10_000));
  addAll(calls, Array<number>(400).fill(100));
  assert.equal(calls.of('key', 'acme/atlas')?.output, 101);
});

test('the pair that was used longest ago makes room', () => {
  const calls = new MeasuredCalls(2);
  const add = (key: string) => {
    for (let time = 0; time < 20; time += 1) calls.add(key, 'm', { output: 1 }, 1);
  };
  for (const key of ['a', 'b', 'a', 'c']) add(key);
  assert.equal(calls.size, 2);
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => calls.of(key, 'm') !== undefined),
    [true, false, true],
  );
});
