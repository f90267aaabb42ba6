import assert from 'node:assert/strict';
import { test } from 'node:test';
import { list, orNull, Type, text } from '../util/json-schema.ts';
import { createReader } from './reader.ts';
import { unit, withUnit } from './units.ts';

const length = withUnit(
  unit('length', 'some text', (text) => text.length),
  text(),
);

test('values in units are read in members and in lists, and null stays', () => {
  const read = createReader(
    Type.Object({ one: length, many: orNull(list(length)), none: Type.Optional(orNull(list(length))) }),
  );
  assert.deepEqual(read({ one: 'a', many: ['bb', ''], none: null }, ''), {
    one: 1,
    many: [2, 0],
    none: null,
  });
  assert.throws(() => read({ one: 'a', many: ['bb', 7] }, ''), /^HeadgateError: many\[1\]: /);
});
