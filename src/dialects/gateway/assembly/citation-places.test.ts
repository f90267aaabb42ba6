import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CitationPlaces } from './message-writer.ts';

const url = 'https://a.example/';

function placed(text: string, start_index: number, end_index: number): string {
  const annotation = { type: 'url_citation', url, title: '', start_index, end_index } as const;
  const place = new CitationPlaces().place(annotation, text);
  assert.equal(place.type, 'url_citation');
  return place.type === 'url_citation' ? text.slice(place.start_index, place.end_index) : '';
}

test('places counted in whole characters are found by the link they stand for', () => {
  const link = `[a](${url})`;
  const text = `🌊🌊 high ${link} and 🌊 low ${link}.`;
  const characters = [...text].join('');
  const first = [...text.slice(0, text.indexOf(link))].length;
  const second = [...text.slice(0, text.lastIndexOf(link))].length;
  assert.equal(placed(text, first, first + link.length), link);
  assert.equal(placed(text, second, second + link.length), link);
  assert.equal(placed(characters, text.indexOf(link), text.indexOf(link) + link.length), link);
});

test('places that name no link stay as they are told', () => {
  assert.equal(placed('🌊 high tide', 3, 7), 'high');
  assert.equal(placed('🌊 high tide', 0, 0), '');
});

test('places outside the text end with it', () => {
  assert.equal(placed('high', 2, 400), 'gh');
  assert.equal(placed('high', 40, 400), '');
  assert.equal(placed('high', 3, 1), '');
  assert.equal(placed('high', -2, 2), 'hi');
  assert.equal(placed('high', 0.5, Number.NaN), '');
});

test('several citations in one text that grows are each found behind characters of two units', () => {
  const link = `[a](${url})`;
  const places = new CitationPlaces();
  let text = '';
  for (const before of ['🌊🌊 one ', ' and 🌊 two ', ' 🌊🌊🌊 three ']) {
    text += before;
    const start = [...text].length;
    text += link;
    const cited = {
      type: 'url_citation',
      url,
      title: '',
      start_index: start,
      end_index: start + link.length,
    } as const;
    const place = places.place(cited, text);
    assert.ok(place.type === 'url_citation');
    assert.equal(text.slice(place.start_index, place.end_index), link);
    assert.equal(place.end_index, text.length, `the one behind "${before}"`);
  }
});
