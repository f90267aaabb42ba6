import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pacedGenerator } from './paced-generator.ts';

test('pieces come in their order, each after a pause of three times what the last one took, and no longer than 250 ms', async () => {
  const done: unknown[] = [];
  let time = 0;
  const timing = {
    now: () => time,
    wait: async (milliseconds: number) => done.push(milliseconds),
  };
  async function* pieces() {
    try {
      for (const took of [10, 0, 2_000, 1]) {
        time += took;
        yield `${took}`;
      }
    } finally {
      done.push('over');
    }
  }
  for await (const piece of pacedGenerator(pieces(), timing)) {
    // What the client takes to read it is not counted.
    time += 500;
    done.push(piece);
    if (piece === '2000') break;
  }
  assert.deepEqual(done, ['10', 30, '0', 0, '2000', 'over']);
  done.length = 0;
  for await (const piece of pacedGenerator(pieces(), timing)) done.push(piece);
  assert.deepEqual(done, ['10', 30, '0', 0, '2000', 250, '1', 3, 'over']);
});
