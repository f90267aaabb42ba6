import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rawSql, sql, statementRenderer } from './statement.ts';

const numbered = statementRenderer((number) => `$${number}`);
const marked = statementRenderer(() => '?');

test('values become parameters, spelt as the engine spells them', () => {
  const statement = sql`select ${1} from t where a = ${"x'; drop table t"} and b is ${null}`;
  assert.equal(numbered(statement), 'select $1 from t where a = $2 and b is $3');
  assert.equal(marked(statement), 'select ? from t where a = ? and b is ?');
  assert.deepEqual(statement.values, [1, "x'; drop table t", null]);
});

test('statements inside a statement keep their values in order', () => {
  const inner = sql`a = ${1} and b = ${2}`;
  const outer = sql`${rawSql('select')} x where ${inner} or c = ${3n} or (${sql`d`}) limit ${4}`;
  assert.equal(numbered(outer), 'select x where a = $1 and b = $2 or c = $3 or (d) limit $4');
  assert.deepEqual(outer.values, [1, 2, 3n, 4]);
  assert.equal(numbered(sql`${inner}${inner}`), 'a = $1 and b = $2a = $3 and b = $4');
});

test('the text of a statement is rendered once for all its values', () => {
  let placeholders = 0;
  const counting = statementRenderer(() => {
    placeholders += 1;
    return '?';
  });
  const find = (id: string) => sql`select * from t where id = ${id}`;
  assert.equal(counting(find('a')), counting(find('b')));
  assert.equal(placeholders, 1);
});
