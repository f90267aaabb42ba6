import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { healJson } from './heal-json.ts';

const object = { mustBeObject: true, opens: '{' } as const;

for (const [name, broken, healed] of [
  ['a code fence', '```json\n{"a": 1}\n```', '{"a": 1}'],
  ['a fence without end', 'Here:\n```\n{"a": 1}', '{"a": 1}'],
  ['prose around it', 'Sure! {"a": "}"} Anything else?', '{"a": "}"}'],
  ['bare keys and single quotes', "{a: 'x'}", '{"a": "x"}'],
  ['a trailing comma', '{"a": [1, 2,],}', '{"a": [1, 2]}'],
  ['words of another language', '{"a": True, "b": None}', '{"a": true, "b": null}'],
  ['missing brackets', '{"a": [1, {"b": "c"', '{"a": [1, {"b": "c"}]}'],
  [
    'numbers keep their spelling',
    '{"a": 1.50, "b": 12345678901234567890,}',
    '{"a": 1.50, "b": 12345678901234567890}',
  ],
] as const) {
  test(`repairs ${name}`, () => assert.equal(healJson(broken, object), healed));
}

test('what is right, hopeless, of another kind or too long stays as it is', () => {
  assert.equal(healJson(' {"a": 1}\n', object), undefined);
  assert.equal(healJson('I cannot do that.', object), undefined);
  assert.equal(healJson('[1, 2,]', object), undefined);
  assert.equal(healJson(`{a: "${'x'.repeat(1024 * 1024)}"}`, object), undefined);
});

test('whatever comes out is JSON', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\\ab1 \n`\'-') }), (text) => {
      const healed = healJson(text, { mustBeObject: false });
      if (healed !== undefined) JSON.parse(healed);
    }),
    { numRuns: 2000 },
  );
});

test('valid JSON in prose comes out unchanged', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const json = JSON.stringify(value);
      assert.equal(healJson(`Here it is: ${json} Done.`, object), json);
    }),
    { numRuns: 500 },
  );
});
