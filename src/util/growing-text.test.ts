import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { GrowingText } from './growing-text.ts';

test('a text of many pieces is what they are one after the other, also where a character is cut', () => {
  const text = new GrowingText();
  const pieces = Array.from(
    { length: 30_000 },
    (_, index) => ['a', 'é', '\ud83d', '\ude00', ''][index % 5] ?? '',
  );
  for (const piece of pieces) text.append(piece);
  assert.equal(text.value, pieces.join(''));
});

test('a text takes about the bytes it has, not those of its pieces nor of what they were cut out of', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const held = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  for (const length of [4, 40]) {
    const before = held();
    const text = new GrowingText();
    for (let index = 0; index < 40_000; index++) {
      const arrived = Buffer.from(
        `{"delta":{"content":"${String(index).padEnd(100, '.')}"}}`.repeat(2),
      ).toString();
      text.append(arrived.slice(21, 21 + length));
    }
    const each = (held() - before) / text.value.length;
    // Joined alone they take more than eight bytes.
    assert.ok(each < 4, `${each} bytes a character in pieces of ${length}`);
  }
});
