import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertGrowsEvenly } from '../../test/support/assert-grows-evenly.ts';
import { plainReferences } from './plain-references.ts';

const text = { type: 'string' } as const;

test('notes beside a reference stay around it', () => {
  const schema = {
    type: 'object',
    properties: {
      home: { $ref: '#/$defs/address', description: 'Where they live', default: null },
      work: { $ref: '#/$defs/address' },
    },
    $defs: { address: { type: 'object', properties: { city: text } } },
  };
  assert.deepEqual(plainReferences(schema), {
    ...schema,
    properties: {
      home: { description: 'Where they live', default: null, anyOf: [{ $ref: '#/$defs/address' }] },
      work: { $ref: '#/$defs/address' },
    },
  });
});

test('what else a reference names becomes a definition, and keeps its place', () => {
  const schema = {
    type: 'object',
    properties: {
      home: { type: 'object', properties: { city: text, next: { $ref: '#/properties/home' } } },
      work: { $ref: '#/properties/home' },
      town: { $ref: '#/properties/home/properties/city' },
    },
  };
  assert.deepEqual(plainReferences(schema), {
    type: 'object',
    properties: {
      home: { $ref: '#/$defs/properties_home' },
      work: { $ref: '#/$defs/properties_home' },
      town: { $ref: '#/$defs/properties_home_properties_city' },
    },
    $defs: {
      properties_home: {
        type: 'object',
        properties: {
          city: { $ref: '#/$defs/properties_home_properties_city' },
          next: { $ref: '#/$defs/properties_home' },
        },
      },
      properties_home_properties_city: text,
    },
  });
});

test('definitions by the older word join the others, under another name where that is taken', () => {
  const schema = {
    type: 'object',
    properties: {
      a: { $ref: '#/definitions/x' },
      b: { $ref: '#/$defs/x' },
      c: { $ref: '#/definitions/a~1b' },
    },
    $defs: { x: text },
    definitions: { x: { type: 'number' }, 'a/b': { type: 'boolean' } },
  };
  assert.deepEqual(plainReferences(schema), {
    type: 'object',
    properties: { a: { $ref: '#/$defs/x_2' }, b: { $ref: '#/$defs/x' }, c: { $ref: '#/$defs/a~1b' } },
    $defs: { x: text, x_2: { type: 'number' }, 'a/b': { type: 'boolean' } },
  });
});

test('the root, other documents, nothing, and data that looks like a reference stay as they are', () => {
  const schema = {
    type: 'object',
    properties: {
      tree: { $ref: '#' },
      far: { $ref: 'https://example.test/schema' },
      lost: { $ref: '#/properties/nobody' },
      data: { const: { $ref: '#/properties/tree', more: 1 }, enum: [{ $ref: '#/x', y: 1 }] },
      narrowed: { $ref: '#', minProperties: 1 },
    },
    $defs: {},
  };
  assert.deepEqual(plainReferences(schema), schema);
  const plain = { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: text } };
  assert.equal(plainReferences(plain), plain, 'nothing is copied');
});

test('its time grows with the schema', () => {
  const schemaOf = (size: number) => {
    const names = Array.from({ length: size }, (_, at) => `p${at}`);
    const properties = Object.fromEntries(
      names.flatMap((name) => [
        [name, { type: 'object', properties: { inner: text } }],
        [`${name}_again`, { $ref: `#/properties/${name}`, description: 'Again' }],
      ]),
    );
    return { type: 'object', properties };
  };
  assertGrowsEvenly(8_000, (size) => {
    plainReferences(schemaOf(size));
  });
});
