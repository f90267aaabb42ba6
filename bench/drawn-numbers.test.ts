import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawNumbers, findNumbers } from './drawn-numbers.ts';

test('draws every number below the count, in place and with leading zeros', () => {
  const request = Buffer.from('key-000/model-00 end');
  const places = findNumbers(request, [
    { after: 'key-', digits: 3, count: 12 },
    { after: 'model-', digits: 2, count: 1 },
  ]);
  const seen = new Set<number>();
  for (let draw = 0; draw < 2000; draw += 1) {
    drawNumbers(request, places);
    const found = /^key-(\d{3})\/model-(\d{2}) end$/.exec(request.toString());
    assert.equal(found?.[2], '00');
    seen.add(Number(found?.[1]));
  }
  assert.deepEqual(
    [...seen].toSorted((one, other) => one - other),
    Array.from({ length: 12 }, (_, number) => number),
  );
});

test('a request without the number is a mistake of the bench', () => {
  assert.throws(() => findNumbers(Buffer.from('nothing'), [{ after: 'key-', digits: 3, count: 2 }]));
});
