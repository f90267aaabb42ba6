import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson } from './canonical-json.ts';

/** The same JSON with the members of every object in another order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, turned(member)]),
  );
}

test('the order of members does not count, at any depth, and nothing is lost', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const text = canonicalJson(value);
      assert.equal(canonicalJson(turned(value)), text);
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('arrays, numbers and strings count exactly, and so do names that objects have anyway', () => {
  const texts = [
    '[1,2]',
    '[2,1]',
    '["1",2]',
    '[1.5,2]',
    '[1,2,null]',
    '{"a":[1,2]}',
    '{"a":{"0":1,"1":2}}',
    '{"a":{}}',
    '{"a":{"__proto__":1}}',
    '{"a":{"__proto__":{"b":1}}}',
    '{"a":{"toString":1}}',
    '{"a\\":1":2}',
    '"{}"',
    '{}',
  ];
  assert.equal(new Set(texts.map((text) => canonicalJson(JSON.parse(text)))).size, texts.length);
});
