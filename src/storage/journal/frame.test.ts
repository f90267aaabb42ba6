import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { generation } from '../../../test/conformance/fixtures.ts';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { chargeLine } from '../sql/charge-line.ts';
import { encodeFrame, hasSegmentMark, readFrames, segmentMark } from './frame.ts';
import { holdCharges, readHeldCharges } from './held-charges.ts';

test('what was written together is read together, in order', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1, unit: anyCharacter }), { maxLength: 8 }), (texts) => {
      const bytes = Buffer.concat([...texts.map(encodeFrame), Buffer.alloc(20)]);
      const { texts: read, length } = readFrames(bytes);
      assert.deepEqual(
        read,
        texts.map((text) => text.toWellFormed()),
      );
      assert.equal(length, bytes.length - 20);
    }),
  );
});

test('a frame cut off at any byte is left out, and those before it are not', () => {
  const whole = encodeFrame('first\n');
  const both = Buffer.concat([whole, encodeFrame('second, cut off\n')]);
  for (let length = whole.length; length < both.length; length += 1) {
    for (const rest of [0, both.length - length]) {
      const cut = Buffer.concat([both.subarray(0, length), Buffer.alloc(rest)]);
      assert.deepEqual(readFrames(cut), { texts: ['first\n'], length: whole.length });
    }
  }
});

test('a changed byte anywhere ends what is read before its frame', () => {
  const whole = encodeFrame('first\n');
  const both = Buffer.concat([whole, encodeFrame('second\n')]);
  for (let position = whole.length; position < both.length; position += 1) {
    const changed = Buffer.from(both);
    changed[position] = (changed[position] ?? 0) ^ 0x10;
    assert.deepEqual(readFrames(changed).texts, ['first\n'], `byte ${position}`);
  }
});

test('a file of another version is refused, one that was never begun is empty', () => {
  assert.equal(hasSegmentMark(Buffer.concat([segmentMark, Buffer.from('x')]), 'a'), true);
  assert.equal(hasSegmentMark(Buffer.alloc(0), 'a'), false);
  assert.equal(hasSegmentMark(Buffer.alloc(100), 'a'), false);
  assert.equal(hasSegmentMark(segmentMark.subarray(0, 5), 'a'), false);
  assert.throws(() => hasSegmentMark(Buffer.from('headgate charges 2\n'), 'a'), /"a".*another version/);
});

test('a held charge that the disk takes only in part is told, and hides none that comes after it', {
  skip: process.platform === 'linux' ? false : 'there is no prlimit',
}, () => {
  const file = join(temporaryFolder(), 'held.charges');
  const [first, second, third] = [generation(), generation(), generation()];
  const hold = (one: typeof first) => holdCharges(file, [chargeLine(one)]);
  hold(first);
  limitFiles('300');
  try {
    assert.throws(() => hold(second), { code: 'EFBIG' });
  } finally {
    limitFiles('unlimited');
  }
  hold(third);
  assert.deepEqual(
    readHeldCharges(file).map(([id]) => id),
    [first.id, third.id],
  );
});

/** Lets no file of this process grow beyond so many bytes, as a full disk does. */
function limitFiles(bytes: string): void {
  const args = ['--pid', String(process.pid), `--fsize=${bytes}:unlimited`];
  assert.equal(spawnSync('prlimit', args).status, 0);
}
