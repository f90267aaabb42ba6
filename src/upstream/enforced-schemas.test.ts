import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertGrowsEvenly } from '../../test/support/assert-grows-evenly.ts';
import type { FunctionTool } from '../core/request.ts';
import type { JsonObject } from '../util/json.ts';
import { isEnforceable, strictFunctions } from './enforced-schemas.ts';

const closed = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});
const text = { type: 'string' };
const to = (name: string) => ({ $ref: `#/$defs/${name}` });

test('closed objects are enforced, with definitions that do not go round', () => {
  for (const schema of [
    closed({ a: text }),
    closed({ a: closed({ b: text }), c: { type: 'array', items: closed({ d: text }) } }),
    closed({ a: { type: 'object', additionalProperties: false } }),
    closed({ a: to('A'), b: to('A') }, { $defs: { A: closed({ b: to('B') }), B: closed({ c: text }) } }),
    closed({ a: to('x~1y') }, { $defs: { 'x/y': closed({ b: text }) } }),
  ]) {
    assert.ok(isEnforceable(schema), JSON.stringify(schema));
  }
});

test('free members, recursion and references to anything but definitions are not', () => {
  for (const schema of [
    { type: 'object' },
    closed({ a: { type: ['object', 'null'] } }),
    closed({ a: text }, { additionalProperties: true }),
    closed({ a: { type: 'object', additionalProperties: text } }),
    closed({ a: { type: 'object', patternProperties: { '^x': text } } }),
    closed({ a: { anyOf: [text, { type: 'object' }] } }),
    closed({ a: { $ref: '#' } }),
    closed({ a: { $ref: '#/properties/b' }, b: text }),
    closed({ a: { $ref: 'https://example.test/schema' } }),
    closed({ a: to('A') }, { $defs: { A: closed({ again: to('A') }) } }),
    closed({ a: to('A') }, { $defs: { A: closed({ b: to('B') }), B: closed({ a: to('A') }) } }),
  ]) {
    assert.ok(!isEnforceable(schema), JSON.stringify(schema));
  }
});

test('a function without arguments is strict', () => {
  const tools = [undefined, {}, closed({}), closed({}, { additionalProperties: false })].map(
    (parameters, at): FunctionTool => ({ kind: 'function', name: `f${at}`, strict: true, parameters }),
  );
  assert.equal(strictFunctions(tools).size, tools.length);
});

test('the time grows with a schema, however its definitions hang together, and however many members it has', () => {
  const chain = (length: number) =>
    Object.fromEntries(
      Array.from({ length }, (_, at) => [`N${at}`, closed({ a: at + 1 < length ? to(`N${at + 1}`) : text })]),
    );
  assertGrowsEvenly(80_000, (length) =>
    assert.ok(isEnforceable(closed({ a: to('N0') }, { $defs: chain(length) }))),
  );
  assertGrowsEvenly(160_000, (length) => {
    const names = Array.from({ length }, (_, at) => `p${at}`);
    const properties = Object.fromEntries(names.map((name) => [name, text]));
    const parameters = closed(properties, { required: names });
    assert.equal(strictFunctions([{ kind: 'function', name: 'f', strict: true, parameters }]).size, 1);
  });
});
