import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mapBatches } from './map-batches.ts';

/** Yields numbers; what is thrown into it is noted, and so is that it was left. */
async function* count(to: number, noted: string[]): AsyncGenerator<number, string> {
  try {
    for (let at = 1; at <= to; at += 1) {
      try {
        yield at;
      } catch (fault) {
        noted.push(String(fault));
      }
    }
    return 'end';
  } finally {
    noted.push('over');
  }
}

test('batches are mapped in order, those without a result are passed over, and the end is returned', async () => {
  const mapped = mapBatches(count(4, []), async (one) => (one % 2 === 0 ? one * 10 : undefined));
  assert.deepEqual(await mapped.next(), { done: false, value: 20 });
  assert.deepEqual(await mapped.next(), { done: false, value: 40 });
  assert.deepEqual(await mapped.next(), { done: true, value: 'end' });
});

test('errors of the mapping and of the reader go into the source, which goes on', async () => {
  const noted: string[] = [];
  const mapped = mapBatches(count(3, noted), (one) => {
    if (one === 2) throw new Error('no twos');
    return one;
  });
  assert.equal((await mapped.next()).value, 1);
  assert.equal((await mapped.throw(new Error('no ones'))).value, 3);
  assert.equal((await mapped.next()).value, 'end');
  assert.deepEqual(noted, ['Error: no ones', 'Error: no twos', 'over']);
});

test('leaving it leaves the source', async () => {
  const noted: string[] = [];
  for await (const one of mapBatches(count(3, noted), (given) => given)) if (one === 1) break;
  assert.deepEqual(noted, ['over']);
});
