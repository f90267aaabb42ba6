import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvRow } from './csv.ts';

test('a file has quotes where they are needed, no formulas, and numbers as they are', () => {
  const rows = [
    ['name', 'cost'],
    ['a,b "c"\nd', -5],
    ['=cmd()', '-0.000000005'],
    ['@sum', null],
    ['-x', true],
  ];
  assert.equal(
    rows.map(csvRow).join(''),
    `name,cost\r\n"a,b ""c""\nd",-5\r\n'=cmd(),-0.000000005\r\n'@sum,\r\n'-x,true\r\n`,
  );
});
