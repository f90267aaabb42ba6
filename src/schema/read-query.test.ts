import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flag, integer, marked, number, Type, text, word } from '../util/json-schema.ts';
import { createQueryReader } from './read-query.ts';
import { units, withUnit } from './units.ts';

const read = createQueryReader(
  Type.Object({
    offset: integer({ minimum: 0, default: 0 }),
    limit: Type.Optional(integer({ minimum: 1, maximum: 100, default: 50 })),
    share: Type.Optional(number({ minimum: 0, maximum: 1 })),
    sort: Type.Optional(word(['newest', 'price'])),
    group: Type.Optional(word(['day'])),
    all: Type.Optional(flag()),
    wait: Type.Optional(withUnit(units.duration, text())),
    name: Type.Optional(text()),
  }),
);

test('parameters are read as what their schemas say', () => {
  const query = {
    offset: '5',
    limit: '100',
    share: '0.5',
    sort: 'price',
    all: 'true',
    wait: '2s',
    name: 'x',
  };
  assert.deepEqual(read(query), {
    offset: 5,
    limit: 100,
    share: 0.5,
    sort: 'price',
    all: true,
    wait: 2000,
    name: 'x',
  });
});

test('absent and empty ones get the default, unless they are optional; unknown ones are ignored', () => {
  assert.deepEqual(read({ limit: '', name: '', other: ['1', '2'] }), { offset: 0 });
});

test('a parameter that does not fit is named with what is expected', () => {
  const cases: readonly (readonly [Readonly<Record<string, unknown>>, string])[] = [
    [{ limit: '0' }, 'limit: expected a whole number from 1 to 100'],
    [{ limit: '1.5' }, 'limit: expected a whole number from 1 to 100'],
    [{ limit: '+5' }, 'limit: expected a whole number from 1 to 100'],
    [{ limit: '1e1' }, 'limit: expected a whole number from 1 to 100'],
    [{ share: '2' }, 'share: expected a number from 0 to 1'],
    [{ sort: 'age' }, 'sort: expected one of "newest", "price"'],
    [{ group: 'week' }, 'group: expected "day"'],
    [{ all: 'yes' }, 'all: expected true or false'],
    [{ wait: '2' }, `wait: expected ${units.duration.allowed}`],
    [{ name: ['a', 'b'] }, 'name: give it once'],
  ];
  for (const [query, message] of cases)
    assert.throws(() => read(query), { message, code: 'invalid_request' });
});

test('a missing parameter is asked for in its own words', () => {
  const id = marked(text(), { wording: { missing: 'name the call' } });
  assert.throws(() => createQueryReader(Type.Object({ id }))({}), { message: 'id: name the call' });
  assert.throws(() => createQueryReader(Type.Object({ id: text() }))({}), { message: 'id: is required' });
});
