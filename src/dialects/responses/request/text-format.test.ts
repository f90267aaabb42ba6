import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalOf, parse, refusal } from '../../../../test/support/request-parsing.ts';

const schema = { type: 'object', properties: { a: { type: 'string' } } };

/** `text` and the exact answer to it (docs/spec/requests.md#text-format). */
const refused: readonly (readonly [unknown, string])[] = [
  ['json', 'text: expected an object, got a string'],
  [{ fromat: {} }, 'text.fromat: unknown field, allowed are "format", "verbosity"'],
  [
    { verbosity: 'loud' },
    'text.verbosity: must be one of "low", "medium", "high", "xhigh", "max", got "loud"',
  ],
  [{ format: 'json' }, 'text.format: expected an object, got a string'],
  [{ format: {} }, 'text.format.type: is required, one of "text", "json_object", "json_schema"'],
  [
    { format: { type: 'yaml' } },
    'text.format.type: must be one of "text", "json_object", "json_schema", got "yaml"',
  ],
  [{ format: { type: 'text', name: 'x' } }, 'text.format.name: unknown field, allowed are "type"'],
  [
    { format: { type: 'json_schema', name: 'x' } },
    'text.format.schema: is required beside name, expected an object',
  ],
  [
    { format: { type: 'json_schema', schema } },
    'text.format.name: is required beside schema, expected a string',
  ],
  [
    { format: { type: 'json_schema', name: 'x', schema: 'y' } },
    'text.format.schema: expected an object, got a string',
  ],
  [
    { format: { type: 'json_schema', name: 'x', schema, json_schema: {} } },
    'text.format.json_schema: unknown field, allowed are "type", "name", "schema", "description", "strict"',
  ],
];

for (const [text, message] of refused) {
  test(message.slice(0, 90), () => assert.deepEqual(refusal({ text }), [400, message]));
}

/** `text`, what it becomes, and how the response repeats it. */
const accepted: readonly (readonly [unknown, object, object])[] = [
  [{}, { format: { kind: 'text' } }, { format: { type: 'text' } }],
  [{ format: null, verbosity: null }, { format: { kind: 'text' } }, { format: { type: 'text' } }],
  [
    { format: { type: 'json_object' }, verbosity: 'low' },
    { format: { kind: 'json_object' }, verbosity: 'low' },
    { format: { type: 'json_object' }, verbosity: 'low' },
  ],
  [
    { format: { type: 'json_schema', name: null } },
    { format: { kind: 'json_object' } },
    { format: { type: 'json_object' } },
  ],
  [
    { format: { type: 'json_schema', name: 'n', schema, strict: true, description: null } },
    { format: { kind: 'json_schema', name: 'n', schema, strict: true } },
    { format: { type: 'json_schema', name: 'n', schema, strict: true } },
  ],
  [{ verbosity: 'max' }, { format: { kind: 'text' }, verbosity: 'max' }, { format: { type: 'text' } }],
];

for (const [text, expected, echo] of accepted) {
  test(`text ${JSON.stringify(text)}`, () => {
    const { format, verbosity } = Object(canonicalOf({ text }));
    assert.deepEqual({ format, ...(verbosity && { verbosity }) }, expected);
    assert.deepEqual(parse({ text }).echo.text, echo);
  });
}
