import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insideHtml, schemaLink, typeHtml } from './docs-page.ts';

const plain = (text: string | undefined) => text?.replaceAll(/<[^>]*>/g, '');

test('a schema is told in a line', () => {
  for (const [schema, expected] of [
    [{}, 'anything'],
    [{ type: 'string', minLength: 1 }, 'string at least 1 character'],
    [
      { type: ['array', 'null'], maxItems: 9, items: { type: 'integer', minimum: 0, maximum: 2 } },
      'array at most 9 elements of integer 0 to 2 or null',
    ],
    [{ enum: ['a<b', null] }, '&quot;a&lt;b&quot; | null'],
    [{ type: 'string', pattern: '^<&>$' }, 'string matches ^&lt;&amp;&gt;$'],
    [{ anyOf: [{ type: 'string' }, { $ref: '#/components/schemas/Model' }] }, 'string or Model'],
    [{ type: 'object', additionalProperties: false, properties: {} }, 'object no other members'],
  ] as const) {
    assert.equal(plain(typeHtml(schema).text), expected);
  }
});

test('a part of a named schema is a link to the whole', () => {
  const link = schemaLink('#/components/schemas/Error/properties/error').text;
  assert.equal(link, '<a href="#schema-Error"><code>Error.error</code></a>');
});

test('what is inside is below, and each of several forms under its name', () => {
  const form = (type: string) => ({
    type: 'object',
    required: ['type'],
    properties: { type: { enum: [type] }, '<name>': { type: 'string' } },
  });
  const inside = insideHtml({ type: 'array', items: { anyOf: [form('first'), form('second')] } })?.text ?? '';
  assert.match(inside, /<summary><code>first<\/code><\/summary>.*<summary><code>second<\/code><\/summary>/s);
  assert.match(inside, /<code>&lt;name&gt;<\/code>/);
  assert.match(inside, /<em>required<\/em>/);
  assert.equal(insideHtml({ type: 'string' }), undefined);
});
