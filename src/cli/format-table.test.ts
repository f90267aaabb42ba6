import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPairs, formatTable } from './format-table.ts';

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
