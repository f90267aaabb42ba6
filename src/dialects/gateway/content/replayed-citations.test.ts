import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Annotation } from '../../../core/delta.ts';
import type { TextPart } from '../../../core/request.ts';
import type { CarrierSeal } from '../../public-dialect.ts';
import { writeCitation } from '../carrier.ts';
import { restoreCitations } from './replayed-citations.ts';

const seal: CarrierSeal = {
  seal: (text) => Buffer.from(text).toString('base64url'),
  open: (sealed) => (sealed.endsWith('!') ? undefined : Buffer.from(sealed, 'base64url').toString()),
};
const original = {
  type: 'web_search_result_location',
  url: 'https://a.test/',
  title: 'A',
  encrypted_index: 'E',
};

function linked(start_index: number, end_index: number, more: object = {}): Annotation {
  return { type: 'url_citation', url: 'https://a.test/', title: 'A', start_index, end_index, ...more };
}

function said(text: string, more: Partial<TextPart> = {}): TextPart {
  return { kind: 'text', text, ...more };
}

const texts = (parts: ReturnType<typeof restoreCitations>) =>
  parts.map((part) => (part.kind === 'text' ? [part.text, part.citations?.length ?? 0] : [part.kind]));

test('a text is divided where citations of the Messages format begin and end', () => {
  const annotations = [
    linked(3, 6, { citation: original }),
    linked(3, 6, { citation: original }),
    linked(7, 9),
  ];
  const divided = restoreCitations([said('one two three', { annotations })], seal);
  assert.deepEqual(texts(divided), [
    ['one', 0],
    [' tw', 2],
    ['o three', 0],
  ]);
  const last = divided.at(-1);
  // A citation of another kind moves along with its words.
  assert.deepEqual(last?.kind === 'text' && last.annotations, [linked(1, 3)]);
});

test('citations that overlap or miss the text divide it without loss of a letter', () => {
  const text = 'A sentence of some length.';
  for (const ranges of [
    [
      [0, 10],
      [5, 15],
    ],
    [
      [20, 99],
      [0, 0],
    ],
    [
      [9, 3],
      [-4, 2],
    ],
  ]) {
    const annotations = ranges.map(([start = 0, end = 0]) => linked(start, end, { citation: original }));
    const divided = restoreCitations([said(text, { annotations })], seal);
    assert.equal(divided.map((part) => (part.kind === 'text' ? part.text : '')).join(''), text);
  }
});

test('blocks that a carrier divided are one text again, with the citation where it was', () => {
  const annotation = linked(4, 7);
  const citation = {
    ...original,
    encrypted_index: writeCitation({ annotation, at: 7 }, seal),
  };
  const restored = restoreCitations(
    [said('one two', { citations: [citation] }), said(' three', { cacheControl: { ttl: '5m' } })],
    seal,
  );
  assert.deepEqual(restored, [
    { kind: 'text', text: 'one two three', annotations: [annotation], cacheControl: { ttl: '5m' }, place: 0 },
  ]);
  // In the words of `input` bodies the same block cites all of itself.
  const asInput = said('one two', { annotations: [linked(0, 7, { citation })] });
  assert.deepEqual(restoreCitations([asInput, said(' three')], seal), [
    { kind: 'text', text: 'one two three', annotations: [annotation], place: 0 },
  ]);
});

test('a carrier that cannot be opened leaves the text without its citation', () => {
  const citation = { ...original, encrypted_index: 'hg1.YWJj!' };
  assert.deepEqual(restoreCitations([said('one', { citations: [citation] }), said('two')], seal), [
    { kind: 'text', text: 'one', place: 0 },
    { kind: 'text', text: 'two', place: 1 },
  ]);
});
