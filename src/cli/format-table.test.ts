import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPairs, formatTable, visible } from './format-table.ts';

test('columns line up by what a person sees, numbers to the right, no spaces at line ends', () => {
  const columns = [{ heading: 'NAME' }, { heading: 'USD', align: 'right' }, { heading: 'NOTE' }] as const;
  // The e with its mark is two characters that take one column.
  const rows = [
    ['Zoe\u0308', '1.5', ''],
    ['a long name', '12', 'x'],
  ];
  assert.equal(
    formatTable(columns, rows),
    'NAME         USD  NOTE\nZoe\u0308          1.5\na long name   12  x\n',
  );
  assert.equal(formatTable([{ heading: 'ID' }], []), 'ID\n');
});

test('a table may have as many rows as an old account has entries', () => {
  const rows = Array.from({ length: 200_000 }, (_, row) => [String(row)]);
  assert.match(formatTable([{ heading: 'ENTRY' }], rows), /^ENTRY\n0\n.*\n199999\n$/s);
});

test('pairs stand under each other', () => {
  assert.equal(
    formatPairs([
      ['Key', 'a'],
      ['Longer', ''],
    ]),
    'Key     a\nLonger\n',
  );
});

test('signs that take two columns are counted as two', () => {
  const columns = [{ heading: 'NAME' }, { heading: 'NOTE' }];
  const rows = [
    ['日本語キー', 'x'],
    ['한국', 'x'],
    ['🚀 go', 'x'],
    ['ascii', 'x'],
  ];
  assert.equal(
    formatTable(columns, rows),
    'NAME        NOTE\n日本語キー  x\n한국        x\n🚀 go       x\nascii       x\n',
  );
});

test('nothing in a name reaches the terminal as an order', () => {
  assert.equal(
    visible('a\u001b[31m\nb\tc\u009b1m\u202e\u2028'),
    'a\\u001b[31m\\nb\\tc\\u009b1m\\u202e\\u2028',
  );
  assert.equal(visible('Zoë 👩‍👩‍👧 日本 ß'), 'Zoë 👩‍👩‍👧 日本 ß');
  assert.equal(formatTable([{ heading: 'NAME' }, { heading: 'N' }], [['a\nb', '1']]), 'NAME  N\na\\nb  1\n');
  assert.equal(formatPairs([['Name', 'a\u001b]0;x\u0007']]), 'Name  a\\u001b]0;x\\u0007\n');
});
