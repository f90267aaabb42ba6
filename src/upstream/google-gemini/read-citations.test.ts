import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readCitations, TextOffsets } from './gemini-decoder.ts';

test('spans of bytes become spans of UTF-16 units', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 12 });
  fc.assert(
    fc.property(text, text, text, (before, cited, after) => {
      if (cited === '') return;
      const offsets = new TextOffsets(before + cited + after);
      const start = Buffer.byteLength(before);
      const span = offsets.span(start, start + Buffer.byteLength(cited));
      assert.deepEqual(span, [before.length, before.length + cited.length]);
      assert.equal(span && offsets.slice(span), cited);
    }),
  );
});

test('spans that split a character are widened, those beyond the text are ignored', () => {
  const offsets = new TextOffsets('a🌊b');
  assert.deepEqual(offsets.span(2, 3), [1, 3]);
  assert.deepEqual(offsets.span(1, 99), [1, 4]);
  for (const [start, end] of [
    [6, 7],
    [3, 3],
    [-1, 2],
    [Number.NaN, 2],
  ] as const) {
    assert.equal(offsets.span(start, end), undefined);
  }
});

test('offsets that do not fit the words give way to the words', () => {
  const grounding = {
    groundingChunks: [{ web: { uri: 'https://example.test/' } }, { web: { title: 'no address' } }],
    groundingSupports: [
      { segment: { startIndex: 40, endIndex: 44, text: 'at 6' }, groundingChunkIndices: [0, 1] },
      { segment: { endIndex: 4 }, groundingChunkIndices: [0] },
      { groundingChunkIndices: [0] },
    ],
  };
  const annotation = { type: 'url_citation', url: 'https://example.test/', title: '' };
  assert.deepEqual(readCitations('High at 6.', grounding, undefined), [
    { ...annotation, start_index: 5, end_index: 9 },
    { ...annotation, start_index: 0, end_index: 4 },
  ]);
});

test('what the model recites is cited too, under either name of the list', () => {
  const citation = { startIndex: 0, endIndex: 5, uri: 'https://example.test/song', license: 'x' };
  const expected = [
    { type: 'url_citation', url: 'https://example.test/song', title: '', start_index: 0, end_index: 4 },
  ];
  for (const member of ['citations', 'citationSources']) {
    assert.deepEqual(readCitations('Çava bien', {}, { [member]: [citation, { uri: 'x' }, 7] }), expected);
  }
});
