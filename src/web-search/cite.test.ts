import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCitations } from './cite.ts';
import type { SearchResult } from './search-engine.ts';

const page = (url: string): SearchResult => ({ url, title: 'T', content: 'C' });
const placesIn = (text: string, ...urls: string[]) =>
  findCitations(text, urls.map(page)).map((found) =>
    found.type === 'url_citation' ? text.slice(found.start_index, found.end_index) : '',
  );
const a = 'https://sea.example/a';

test('links and bare addresses are cited, longer addresses are other pages', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    [`See [the page](${a}).`, [`[the page](${a})`]],
    [`See ${a}.`, [a]],
    [`See ${a}`, [a]],
    [`(${a})`, [a]],
    [`<${a}>`, [a]],
    [`${a}b and ${a}/b and ${a}?q=1`, []],
    [`${a}. ${a}, ${a}`, [a, a, a]],
    [`🌊🌊 ${a}`, [a]],
    ['nothing', []],
    [`](${a}`, [a]],
  ];
  for (const [text, wanted] of cases) assert.deepEqual(placesIn(text, a), wanted, text);
  assert.deepEqual(placesIn(`${a}b ${a}`, `${a}b`, a), [`${a}b`, a]);
});

test('a text that names a page without end has a limit of citations', () => {
  assert.equal(findCitations(`${a} `.repeat(10_000), [page(a), page('')]).length, 100);
});
