import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnswerPart } from '../core/answer-part.ts';
import type { JsonObject } from '../util/json.ts';
import { AnswerSources } from './inner-turns.ts';

const cited = (url: string, title: string): AnswerPart => ({
  kind: 'annotation',
  block: 0,
  annotation: { type: 'url_citation', url, title, start_index: 0, end_index: 1 },
});

test('each page is named once, with the first title it has', () => {
  const sources = new AnswerSources();
  for (const part of [cited('a', ''), cited('b', 'B'), cited('', 'none'), cited('a', 'A'), cited('b', 'C')]) {
    sources.add(part);
  }
  assert.deepEqual(sources.all, [
    { url: 'a', title: 'A' },
    { url: 'b', title: 'B' },
  ]);
});

test('at most 500 pages are named, the first ones', () => {
  const sources = new AnswerSources();
  for (let page = 0; page < 510; page += 1) sources.add(cited(`https://example.com/${page}`, ''));
  sources.add(cited('https://example.com/499', 'The last'));
  assert.equal(sources.all.length, 500);
  assert.deepEqual(sources.all.at(-1), { url: 'https://example.com/499', title: 'The last' });
});

test('pages that tools searched or fetched count, failed fetches and what other tools name do not', () => {
  const sources = new AnswerSources();
  const executed = (type: `service:${string}`, fields: JsonObject): AnswerPart => ({
    kind: 'executed',
    id: 'item-1',
    type,
    fields,
  });
  const found = { action: { sources: [{ url: 'found', title: 'Found' }, 'odd'] } };
  sources.add(executed('service:web_search', found));
  sources.add(executed('service:web_fetch', { url: 'fetched', title: 'Fetched' }));
  sources.add(executed('service:web_fetch', { url: 'failed', error: 'gone' }));
  sources.add(executed('service:shell', { url: 'shell' }));
  sources.add({ kind: 'result', block: 0, fields: { action: { sources: [{ url: 'hosted' }] } } });
  assert.deepEqual(
    sources.all.map(({ url }) => url),
    ['found', 'fetched', 'hosted'],
  );
});
