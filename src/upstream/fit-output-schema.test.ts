import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitOutputSchema, withoutLookAround } from './fit-output-schema.ts';

test('objects are closed at every depth, and what fits stays as it is', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      port: { type: 'string', enum: ['Brest', 'Riga'] },
      tides: {
        type: 'array',
        minItems: 1,
        items: { type: 'object', properties: { at: { type: 'string', format: 'time' } } },
      },
      next: { $ref: '#/$defs/next' },
      either: { oneOf: [{ type: 'null' }, { type: 'number' }] },
    },
    required: ['port'],
    $defs: { next: { type: 'object', properties: {}, additionalProperties: true } },
  };
  assert.deepEqual(fitOutputSchema(schema), {
    type: 'object',
    properties: {
      port: { type: 'string', enum: ['Brest', 'Riga'] },
      tides: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties: { at: { type: 'string', format: 'time' } },
          additionalProperties: false,
        },
      },
      next: { $ref: '#/$defs/next' },
      either: { anyOf: [{ type: 'null' }, { type: 'number' }] },
    },
    required: ['port'],
    $defs: { next: { type: 'object', properties: {}, additionalProperties: false } },
    additionalProperties: false,
  });
});

test('limits that cannot be enforced are described', () => {
  assert.deepEqual(fitOutputSchema({ type: 'string', description: 'A name.', minLength: 2, format: 'iri' }), {
    type: 'string',
    description: 'A name.\n\n{minLength: 2, format: "iri"}',
  });
  assert.deepEqual(fitOutputSchema({ type: 'array', minItems: 3, items: true }), {
    type: 'array',
    items: true,
    description: '{minItems: 3}',
  });
});

test('patterns that look around are described wherever a schema stands, and data is left alone', () => {
  const looking = '^(?=a)';
  const described = { type: 'string', description: `{pattern: ${JSON.stringify(looking)}}` };
  const data = { pattern: looking };
  const schema = {
    properties: {
      pattern: { type: 'string', pattern: looking },
      default: { type: 'string', pattern: looking },
    },
    items: [{ type: 'string', pattern: looking }],
    anyOf: [{ not: { type: 'string', pattern: looking } }],
    $defs: { a: { type: 'string', pattern: '^a' } },
    enum: [data],
    default: data,
  };
  assert.deepEqual(withoutLookAround(schema), {
    properties: { pattern: described, default: described },
    items: [described],
    anyOf: [{ not: described }],
    $defs: { a: { type: 'string', pattern: '^a' } },
    enum: [data],
    default: data,
  });
});
