import assert from 'node:assert/strict';
import { test } from 'node:test';
import { around, type DiffLine, lineDiff } from '../../dashboard/pages/presets/line-diff.ts';
import { versionText } from '../../dashboard/pages/presets/version-text.ts';

const side = (lines: readonly DiffLine[], left: 'removed' | 'added') =>
  lines
    .filter(({ kind }) => kind !== left)
    .map(({ text }) => text)
    .join('\n');

test('a diff holds both texts whole, and marks no line that both share', () => {
  const texts = [
    '',
    'a',
    'a\nb',
    'b\na',
    'a\nx\nb',
    'x\ny',
    'a\nb\nc\nd\ne',
    'a\nc\nx\ne',
    '\n\n',
    'e\nd\nc\nb\na',
  ];
  for (const before of texts) {
    for (const after of texts) {
      const lines = lineDiff(before, after);
      assert.equal(side(lines, 'added'), before);
      assert.equal(side(lines, 'removed'), after);
      if (before === after) assert.ok(lines.every(({ kind }) => kind === 'same'));
    }
  }
  assert.deepEqual(
    lineDiff('a\nb\nc\nd\ne', 'a\nc\nx\ne').map(({ kind, text }) => kind[0] + text),
    ['sa', 'rb', 'sc', 'rd', 'ax', 'se'],
  );
});

test('texts with too many different lines are shown as replaced', () => {
  const many = (word: string, count: number) => Array.from({ length: count }, (_, n) => `${word}${n % 7}`);
  const [one, two] = [many('a', 1_001), [...many('b', 500), 'a0', ...many('b', 500)]];
  const lines = lineDiff(one.join('\n'), two.join('\n'));
  assert.deepEqual(new Set(lines.slice(0, 1_001).map(({ kind }) => kind)), new Set(['removed']));
  assert.equal(lines.length, 2_002);
  assert.equal(
    lineDiff(one.slice(0, 999).join('\n'), two.join('\n')).filter(({ kind }) => kind === 'same').length,
    1,
  );
});

test('unchanged lines away from changes stand by their number', () => {
  const numbers = Array.from({ length: 20 }, (_, n) => String(n));
  const changed = numbers.with(10, 'x');
  const parts = around(lineDiff(numbers.join('\n'), changed.join('\n')));
  assert.deepEqual(parts[0], { kind: 'skipped', count: 7 });
  assert.deepEqual(parts.at(-1), { kind: 'skipped', count: 6 });
  assert.equal(parts.length, 10);
});

test('the order of members is no difference', () => {
  const one = versionText({ system_prompt: 'Hi', config: { b: [{ d: 1, c: 2 }], a: null } });
  assert.equal(one, versionText({ system_prompt: 'Hi', config: { a: null, b: [{ c: 2, d: 1 }] } }));
  assert.notEqual(one, versionText({ system_prompt: null, config: { a: null, b: [{ c: 2, d: 1 }] } }));
});
