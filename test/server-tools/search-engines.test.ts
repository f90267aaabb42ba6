import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeadgateError } from '../../src/core/errors.ts';
import { parseUsd } from '../../src/core/money.ts';
import { Secret } from '../../src/util/secret.ts';
import type { EngineName, SearchQuery } from '../../src/web-search/search-engine.ts';
import { WebSearch } from '../../src/web-search/web-search.ts';
import { sendJson, startSite } from './local-site.ts';

const query: SearchQuery = {
  query: 'tides of Brest',
  maxResults: 3,
  allowedDomains: [],
  excludedDomains: [],
};
const page = { url: 'https://sea.example/tides', title: 'Tides' };
const other = { url: 'https://land.example/', title: 'Hills' };

/** What each engine is sent, by its own documentation, and what it answers. */
const cases: Readonly<
  Record<
    EngineName,
    {
      sent: RegExp;
      header: readonly [string, string];
      body?: object;
      answer: object;
      price: number;
      content: string;
    }
  >
> = {
  searxng: {
    sent: /^GET \/search\?q=tides\+of\+Brest&format=json$/,
    header: ['accept', 'application/json'],
    answer: { results: [{ ...page, content: 'High at noon.', publishedDate: '2026-01-01' }, other] },
    price: 0,
    content: 'High at noon.',
  },
  exa: {
    sent: /^POST \/search$/,
    header: ['x-api-key', 'key'],
    body: { query: 'tides of Brest', type: 'auto', numResults: 3, contents: { highlights: true } },
    answer: { results: [{ ...page, highlights: ['One.', 'Two.'], publishedDate: '2026-01-01' }, other] },
    price: 0.007,
    content: 'One.\n[...]\nTwo.',
  },
  brave: {
    sent: /^GET \/res\/v1\/web\/search\?q=tides\+of\+Brest&count=3&extra_snippets=true$/,
    header: ['x-subscription-token', 'key'],
    answer: { web: { results: [{ ...page, description: 'High.', extra_snippets: ['Low.'] }, other] } },
    price: 0,
    content: 'High.\n[...]\nLow.',
  },
  tavily: {
    sent: /^POST \/search$/,
    header: ['authorization', 'Bearer key'],
    body: { query: 'tides of Brest', max_results: 3 },
    answer: { results: [{ ...page, content: 'High.', score: 1 }, other] },
    price: 0,
    content: 'High.',
  },
  parallel: {
    sent: /^POST \/v1\/search$/,
    header: ['x-api-key', 'key'],
    body: {
      search_queries: ['tides of Brest'],
      objective: 'tides of Brest',
      mode: 'basic',
      advanced_settings: { max_results: 3, excerpt_settings: { max_chars_per_result: 1500 } },
    },
    answer: {
      results: [{ ...page, excerpts: ['High.'], publish_date: '2026-01-01' }, other],
      warnings: null,
    },
    price: 0.005,
    content: 'High.',
  },
  perplexity: {
    sent: /^POST \/search$/,
    header: ['authorization', 'Bearer key'],
    body: { query: 'tides of Brest', max_results: 3 },
    answer: { results: [{ ...page, snippet: 'High.', date: '2026-01-01' }, other] },
    price: 0.005,
    content: 'High.',
  },
  firecrawl: {
    sent: /^POST \/v2\/search$/,
    header: ['authorization', 'Bearer key'],
    body: { query: 'tides of Brest', limit: 3, scrapeOptions: { formats: [{ type: 'markdown' }] } },
    answer: { data: { web: [{ ...page, description: 'No.', markdown: 'High.' }, other] } },
    price: 0,
    content: 'High.',
  },
};

const engineAt = (engine: EngineName, baseUrl: string) => ({ engine, baseUrl, apiKey: new Secret('key') });
const signal = new AbortController().signal;

for (const [name, { sent, header, body, answer, price, content }] of Object.entries(cases)) {
  const engine = name as EngineName;
  test(`${engine} is asked in its own words, and answers are read`, async () => {
    await using site = await startSite((_request, response) => sendJson(response, answer));
    const search = new WebSearch(() => [engineAt(engine, site.url)]);
    const found = await search.search(engineAt(engine, site.url), query, signal);
    const [request] = site.seen;
    assert.match(`${request?.method} ${request?.url}`, sent);
    assert.equal(request?.headers[header[0]], header[1]);
    if (body !== undefined) assert.deepEqual(JSON.parse(request?.body ?? ''), body);
    assert.deepEqual([found.results[0]?.url, found.results[0]?.content], [page.url, content]);
    assert.equal(found.price, parseUsd(price));
  });

  test(`${engine} keeps to the domains that are allowed`, async () => {
    await using site = await startSite((_request, response) => sendJson(response, answer));
    const search = new WebSearch(() => []);
    const asked = engineAt(engine, site.url);
    const allowed = await search.search(asked, { ...query, allowedDomains: ['*.sea.example'] }, signal);
    assert.deepEqual(
      allowed.results.map(({ url }) => url),
      [page.url],
    );
    const excluded = await search.search(asked, { ...query, excludedDomains: ['sea.example/tides'] }, signal);
    assert.deepEqual(
      excluded.results.map(({ url }) => url),
      [other.url],
    );
    const { url = '', body: sentBody = '' } = site.seen[0] ?? {};
    assert.match(decodeURIComponent(url + sentBody), /sea\.example/);
  });
}

const failures: Readonly<Record<string, (response: import('node:http').ServerResponse) => void>> = {
  'a failing status': (response) => sendJson(response, { error: 'key-of-somebody' }, 500),
  'something that is no JSON': (response) => response.end('<html>'),
  'a JSON list': (response) => response.end('[]'),
  'a broken connection': (response) => response.destroy(),
  'more than it may': (response) => response.end(Buffer.alloc(11 * 1024 * 1024, ' ')),
};
for (const [what, answer] of Object.entries(failures)) {
  test(`an engine that answers with ${what} is a failure without its words`, async () => {
    await using site = await startSite((_request, response) => answer(response));
    const search = new WebSearch(() => []);
    await assert.rejects(search.search(engineAt('exa', site.url), query, signal), (thrown) => {
      assert.ok(thrown instanceof HeadgateError && thrown.code === 'invalid_request', String(thrown));
      assert.doesNotMatch(thrown.message, /key|127\.0\.0\.1/);
      return true;
    });
  });
}

test('results without an address of the web are passed over, whatever their form', async () => {
  const results = [
    null,
    7,
    {},
    { url: 'javascript:alert(1)' },
    { url: 9 },
    { ...page, title: 3, content: {} },
  ];
  await using site = await startSite((_request, response) => sendJson(response, { results }));
  const found = await new WebSearch(() => []).search(engineAt('tavily', site.url), query, signal);
  assert.deepEqual(found.results, [{ url: page.url, title: '', content: '' }]);
});
