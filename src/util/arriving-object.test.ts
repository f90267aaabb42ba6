import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ArrivingObject } from './arriving-object.ts';
import { isObject, parseJson } from './json.ts';

test('after each piece it reports whether the text so far is an object', () => {
  const piece = fc.oneof(
    fc.constantFrom('{', '}', '{}', '"', '\\', '\\"', ':', ',', '"a":', '1', '[', ']', ' ', '\n', '\u00a0'),
    fc.object({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.nat(9), (pieces, asked) => {
      const object = new ArrivingObject();
      for (const [index, text] of pieces.entries()) {
        object.add(text);
        const all = pieces.slice(0, index + 1).join('');
        assert.equal(object.text, all);
        if (index >= asked) assert.equal(object.isWhole, isObject(parseJson(all)), all);
      }
    }),
    { numRuns: 2_000 },
  );
});
