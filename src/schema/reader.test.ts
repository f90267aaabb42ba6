import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flag, integer, list, marked, orNull, Type, text } from '../util/json-schema.ts';
import { createChecker } from './checker.ts';
import { createMemberReader, createReader } from './reader.ts';
import { units, withUnit } from './units.ts';

const closed = { additionalProperties: false };
const wait = withUnit(units.duration, text());

test('values in units are read, on every level; the rest stays as it is', () => {
  const read = createReader(
    Type.Object({ wait, later: Type.Optional(orNull(wait)), inner: Type.Object({ wait, name: text() }) }),
  );
  assert.deepEqual(read({ wait: '1s', later: null, inner: { wait: '2m', name: 'a' } }, ''), {
    wait: 1000,
    later: null,
    inner: { wait: 120_000, name: 'a' },
  });
  assert.throws(() => read({ wait: 'soon', inner: {} }, ''), { message: 'wait: is not a duration' });
});

test('a value that needs no reading is returned itself', () => {
  const value = { name: 'a' };
  assert.equal(createReader(Type.Object({ name: text() }))(value, ''), value);
});

test('members marked as handled are read one by one and nowhere else', () => {
  const schema = Type.Object({
    wait: marked(wait, { handled: true }),
    on: marked(flag(), { handled: true }),
  });
  const body = { wait: 'soon', on: 1 };
  assert.equal(createReader(schema)(body, ''), body);
  const readMember = createMemberReader(schema);
  assert.equal(readMember({ wait: '1s' }, 'wait'), 1000);
  assert.equal(readMember({}, 'on'), undefined);
  assert.throws(() => readMember(body, 'on'), { message: 'on: expected a boolean, got a number' });
});

test('messages about a secret schema repeat nothing that was sent', () => {
  const schema = marked(
    Type.Object(
      { key: Type.Optional(text({ maxLength: 3 })), counts: Type.Optional(list(integer())) },
      closed,
    ),
    { secret: true },
  );
  const check = createChecker(schema);
  const refused = (body: unknown) => {
    try {
      check(body, '');
    } catch (error) {
      return (error as Error).message;
    }
    return undefined;
  };
  assert.equal(refused({ key: 'sk-1' }), 'key: must be at most 3 characters');
  assert.equal(refused({ counts: [1, 'sk-1'] }), 'counts[1]: expected an integer');
  assert.equal(refused('sk-1'), 'body: expected an object');
  assert.match(refused({ kee: 1 }) ?? '', /^kee: unknown field/);
  assert.match(refused({ 'sk-live-0123': 1 }) ?? '', /^body: unknown field/);
});

test('values in units are read in lists as well', () => {
  const read = createReader(Type.Object({ waits: orNull(list(wait)) }));
  assert.deepEqual(read({ waits: ['1s', '2s'] }, ''), { waits: [1000, 2000] });
  assert.deepEqual(read({ waits: null }, ''), { waits: null });
  assert.throws(() => read({ waits: ['1s', 'soon'] }, ''), { message: 'waits[1]: is not a duration' });
});

test('values in units are read in lists as well', () => {
  const read = createReader(Type.Object({ many: orNull(list(wait)), none: orNull(list(wait)) }));
  assert.deepEqual(read({ many: ['1s', '2m'], none: null }, ''), { many: [1000, 120_000], none: null });
  assert.throws(() => read({ many: ['1s', 7], none: null }, ''), /many\[1\]: /);
});
