import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonObject } from '../../util/json.ts';
import { fitSchema } from './fitting-json.ts';

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const node = { $ref: '#/$defs/node' };

const schemas: readonly (readonly [string, JsonObject])[] = [
  ['anything', {}],
  ['a text with a length', { type: 'string', minLength: 30, maxLength: 40 }],
  ['a short text', { type: 'string', maxLength: 3 }],
  ['an integer with bounds', { type: 'integer', minimum: 2.5, maximum: 9 }],
  ['a number between', { type: 'number', exclusiveMinimum: 2, exclusiveMaximum: 3 }],
  ['a number close between', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.5 }],
  ['a number up to', { type: 'number', minimum: 1, exclusiveMaximum: 1.2 }],
  ['an integer with two lower bounds', { type: 'integer', minimum: 1, exclusiveMinimum: 4 }],
  ['an integer above a fraction', { type: 'integer', exclusiveMinimum: 1.5, maximum: 2 }],
  ['a negative number', { type: 'integer', maximum: -4 }],
  ['a multiple', { type: 'integer', minimum: 7, multipleOf: 5 }],
  ['a boolean', { type: 'boolean' }],
  ['null', { type: 'null' }],
  ['one of several types', { type: ['number', 'null'] }],
  ['an enum', { enum: [3, 'b', null] }],
  ['a constant', { const: { a: [1] } }],
  ['a list with a least count', { type: 'array', items: { type: 'integer', minimum: 1 }, minItems: 3 }],
  ['a list that must be empty', { type: 'array', maxItems: 0 }],
  [
    'a tuple',
    { type: 'array', prefixItems: [{ type: 'string' }, { type: 'null' }], items: false, minItems: 2 },
  ],
  ['the first of any', { anyOf: [{ type: 'integer' }, { type: 'string' }] }],
  ['the first of one', { oneOf: [{ type: 'object', required: ['a'] }, { type: 'string' }] }],
  [
    'all of several',
    {
      allOf: [
        { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
        { properties: { b: { type: 'boolean' } }, required: ['b'] },
      ],
    },
  ],
  [
    'nested and closed',
    {
      type: 'object',
      properties: {
        where: {
          type: 'object',
          properties: { city: { type: 'string' }, unit: { enum: ['c', 'f'] } },
          required: ['city', 'unit'],
          additionalProperties: false,
        },
        tags: { type: 'array', items: { type: 'string' }, minItems: 1 },
      },
      required: ['where', 'tags'],
      additionalProperties: false,
    },
  ],
  [
    'local references',
    {
      $defs: { 'a/b': { type: 'integer' } },
      type: 'object',
      properties: { x: { $ref: '#/$defs/a~1b' } },
      required: ['x'],
    },
  ],
  [
    'recursion through a list',
    {
      $defs: {
        node: {
          type: 'object',
          properties: { name: { type: 'string' }, children: { type: 'array', items: node } },
          required: ['name', 'children'],
        },
      },
      ...node,
    },
  ],
  [
    'recursion through an alternative',
    {
      $defs: {
        node: {
          type: 'object',
          properties: { next: { anyOf: [node, { type: 'null' }] } },
          required: ['next'],
        },
      },
      ...node,
    },
  ],
];

for (const [name, schema] of schemas) {
  test(`fits ${name}`, () => {
    for (const seed of [undefined, 0, 1, -7]) {
      const value = fitSchema(schema, seed);
      assert.ok(ajv.validate(schema, value), `${JSON.stringify(value)}: ${ajv.errorsText()}`);
    }
  });
}

test('a pattern is ignored, whatever it would cost to run', () => {
  for (const pattern of ['^[A-Z]{3}$', '(', '('.repeat(10_000), '((a{9999}){9999}){9999}'])
    assert.equal(fitSchema({ type: 'string', pattern }), 'sandbox', pattern.slice(0, 20));
});

test('a schema nothing can fit still ends', () => {
  assert.ok(fitSchema({ $ref: '#' }) !== undefined);
  assert.ok(fitSchema({ $ref: '#/nowhere' }) !== undefined);
  assert.ok(
    fitSchema({
      $defs: { a: { type: 'object', required: ['a'], properties: { a: { $ref: '#/$defs/a' } } } },
      $ref: '#/$defs/a',
    }),
  );
});

const twins = { type: 'object', required: ['a', 'b'], properties: { a: { $ref: '#' }, b: { $ref: '#' } } };
const copies = Array(8).fill({ $ref: '#/$defs/a' });
const wide = Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`m${at}`, { const: at }]));
const tooLarge: readonly [string, JsonObject][] = [
  ['two of itself at every depth', twins],
  ['eight copies of eight copies', { $defs: { a: { allOf: copies } }, ...copies[0] }],
  [
    'one wide object merged often',
    { $defs: { a: { properties: wide } }, allOf: Array(3_000).fill(copies[0]) },
  ],
  ['lists of lists', { minItems: 1_000, items: { minItems: 1_000, items: { minItems: 1_000 } } }],
  ['a list no memory holds', { type: 'array', minItems: 1e10 }],
  ['a text no memory holds', { type: 'string', minLength: Number.POSITIVE_INFINITY }],
  ['a long constant, often', { type: 'array', minItems: 1_000, items: { const: 'x'.repeat(10_000) } }],
  ['one of nothing', { enum: [] }],
];

for (const [name, schema] of tooLarge) {
  test(`makes nothing for ${name}`, () => assert.equal(fitSchema(schema), undefined));
}

test('unknown formats, broken references and names that are not strings are ignored', () => {
  assert.equal(fitSchema({ type: 'string', format: 'constructor' }), 'sandbox');
  assert.equal(fitSchema({ type: 'string', format: { toString: 1 } }), 'sandbox');
  assert.equal(fitSchema({ $ref: '#/%' }), 'sandbox');
  assert.deepEqual(fitSchema({ type: 'object', required: ['a', { toString: 1 }] }), { a: 'sandbox' });
});

test('the same seed picks the same value', () => {
  const schema = { enum: ['a', 'b', 'c'] };
  assert.deepEqual(
    [0, 1, 2, 3].map((seed) => fitSchema(schema, seed)),
    ['a', 'b', 'c', 'a'],
  );
});
