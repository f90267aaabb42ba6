import { HeadgateError } from '../core/errors.ts';
import { type NanoUsd, parseUsd, sumUsd, zeroUsd } from '../core/money.ts';
import { isObject } from '../util/json.ts';
import { bareDomain, withSites } from './domains.ts';
import { joinExcerpts, objectsOf, resultOf, textOf } from './read-results.ts';
import type { EngineFormat, SearchQuery } from './search-engine.ts';

const mostCharacters = 400;
const mostWords = 50;

/** Brave Search: `GET /res/v1/web/search`. */
export const brave: EngineFormat = {
  name: 'brave',
  baseUrl: 'https://api.search.brave.com',
  needsKey: true,
  request: ({ query, maxResults, allowedDomains, excludedDomains }, apiKey) => {
    const words = withSites(query, allowedDomains, excludedDomains).split(/\s+/).slice(0, mostWords);
    const q = words.join(' ').slice(0, mostCharacters);
    const asked = new URLSearchParams({ q, count: String(Math.min(maxResults, 20)), extra_snippets: 'true' });
    return {
      method: 'GET',
      path: `/res/v1/web/search?${asked}`,
      headers: { 'x-subscription-token': apiKey },
    };
  },
  results: ({ web }) =>
    objectsOf(isObject(web) ? web.results : undefined).flatMap(
      ({ url, title, description, extra_snippets: snippets, page_age: age }) =>
        resultOf(url, title, joinExcerpts([description, ...(Array.isArray(snippets) ? snippets : [])]), age),
    ),
  price: () => zeroUsd,
};

const longestQuery = 500;

/** Firecrawl: `POST /v2/search`, which bills its own account. */
export const firecrawl: EngineFormat = {
  name: 'firecrawl',
  baseUrl: 'https://api.firecrawl.dev',
  needsKey: true,
  request: ({ query, maxResults, allowedDomains, excludedDomains }, apiKey) => {
    if (allowedDomains.length > 0 && excludedDomains.length > 0) {
      const problem = 'The engine "firecrawl" takes allowed or excluded domains, not both.';
      throw new HeadgateError('invalid_request', problem);
    }
    const asked = withSites(query, allowedDomains, excludedDomains).slice(0, longestQuery);
    return {
      method: 'POST',
      path: '/v2/search',
      headers: { authorization: `Bearer ${apiKey}` },
      body: { query: asked, limit: maxResults, scrapeOptions: { formats: [{ type: 'markdown' }] } },
    };
  },
  results: ({ data }) =>
    objectsOf(isObject(data) ? data.web : undefined).flatMap(({ url, title, description, markdown }) =>
      resultOf(url, title, textOf(markdown) || textOf(description)),
    ),
  price: () => zeroUsd,
};

const mostDomains = 20;
const charactersOfToken = 4;

/** Perplexity: `POST /search`. */
export const perplexity: EngineFormat = {
  name: 'perplexity',
  baseUrl: 'https://api.perplexity.ai',
  needsKey: true,
  request: ({ query, maxResults, maxCharacters, contextSize, allowedDomains, excludedDomains }, apiKey) => {
    // It takes one list; what is allowed says more.
    const excluded = excludedDomains.map((domain) => `-${bareDomain(domain)}`);
    const domains = allowedDomains.length > 0 ? allowedDomains.map(bareDomain) : excluded;
    return {
      method: 'POST',
      path: '/search',
      headers: { authorization: `Bearer ${apiKey}` },
      body: {
        query,
        max_results: Math.min(maxResults, 20),
        ...(maxCharacters !== undefined && {
          max_tokens_per_page: Math.max(1, Math.ceil(maxCharacters / charactersOfToken)),
        }),
        ...(contextSize !== undefined && { search_context_size: contextSize }),
        ...(domains.length > 0 && { search_domain_filter: domains.slice(0, mostDomains) }),
      },
    };
  },
  results: ({ results }) =>
    objectsOf(results).flatMap(({ url, title, snippet, date }) =>
      resultOf(url, title, textOf(snippet), date),
    ),
  price: () => parseUsd(0.005),
};

/** SearXNG, an operator's own: `GET /search`, where its JSON output is enabled. */
export const searxng: EngineFormat = {
  name: 'searxng',
  needsKey: false,
  request: ({ query, allowedDomains, excludedDomains }) => {
    const q = withSites(query, allowedDomains, excludedDomains);
    return { method: 'GET', path: `/search?${new URLSearchParams({ q, format: 'json' })}`, headers: {} };
  },
  results: ({ results }) =>
    objectsOf(results).flatMap(({ url, title, content, publishedDate }) =>
      resultOf(url, title, textOf(content), publishedDate),
    ),
  price: () => zeroUsd,
};

/** Tavily: `POST /search`. */
export const tavily: EngineFormat = {
  name: 'tavily',
  baseUrl: 'https://api.tavily.com',
  needsKey: true,
  request: ({ query, maxResults, allowedDomains, excludedDomains }, apiKey) => ({
    method: 'POST',
    path: '/search',
    headers: { authorization: `Bearer ${apiKey}` },
    body: {
      query,
      max_results: Math.min(maxResults, 20),
      ...(allowedDomains.length > 0 && { include_domains: allowedDomains.map(bareDomain) }),
      ...(excludedDomains.length > 0 && { exclude_domains: excludedDomains.map(bareDomain) }),
    },
  }),
  results: ({ results }) =>
    objectsOf(results).flatMap(({ url, title, content }) => resultOf(url, title, textOf(content))),
  price: () => zeroUsd,
};

const modes = ['instant', 'fast', 'auto', 'deep-lite', 'deep', 'deep-reasoning'];
const charactersOf = { low: 5_000, medium: 15_000, high: 30_000 };
const modeOf = ({ mode = 'auto' }: SearchQuery) => (modes.includes(mode) ? mode : 'auto');

/** Exa: `POST /search`. */
export const exa: EngineFormat = {
  name: 'exa',
  baseUrl: 'https://api.exa.ai',
  needsKey: true,
  request: (query, apiKey) => {
    const { maxCharacters = query.contextSize && charactersOf[query.contextSize] } = query;
    return {
      method: 'POST',
      path: '/search',
      headers: { 'x-api-key': apiKey },
      body: {
        query: query.query,
        type: modeOf(query),
        numResults: query.maxResults,
        ...(query.allowedDomains.length > 0 && { includeDomains: query.allowedDomains.map(bareDomain) }),
        ...(query.excludedDomains.length > 0 && { excludeDomains: query.excludedDomains.map(bareDomain) }),
        contents: { highlights: maxCharacters === undefined ? true : { maxCharacters } },
      },
    };
  },
  results: ({ results }) =>
    objectsOf(results).flatMap(({ url, title, highlights, publishedDate }) =>
      resultOf(url, title, joinExcerpts(highlights), publishedDate),
    ),
  price: (query, found) => sumUsd(priceOf(modeOf(query)), extra(found)),
  timeLimit: (query) => (modeOf(query).startsWith('deep') ? 60_000 : 30_000),
};

function priceOf(mode: string): NanoUsd {
  if (mode === 'deep-reasoning') return parseUsd(0.015);
  return parseUsd(mode.startsWith('deep') ? 0.012 : 0.007);
}

/** Ten results are in the price; each beyond costs on its own. */
export function extra(found: number): NanoUsd {
  return parseUsd(Math.max(0, found - 10) / 1000);
}

const parallelModes = ['turbo', 'fast', 'basic', 'advanced'];
const totalOf = { low: 5_000, medium: 15_000, high: 30_000 };
const usualCharacters = 1_500;
const longestParallelQuery = 200;
const parallelModeOf = ({ mode = 'basic' }: SearchQuery) => (parallelModes.includes(mode) ? mode : 'basic');

/** Parallel: `POST /v1/search`. */
export const parallel: EngineFormat = {
  name: 'parallel',
  baseUrl: 'https://api.parallel.ai',
  needsKey: true,
  request: (query, apiKey) => {
    const { allowedDomains, excludedDomains, maxCharacters, contextSize } = query;
    if (allowedDomains.length > 0 && excludedDomains.length > 0) {
      const problem = 'The engine "parallel" takes allowed or excluded domains, not both.';
      throw new HeadgateError('invalid_request', problem);
    }
    const policy = {
      ...(allowedDomains.length > 0 && { include_domains: allowedDomains.map(bareDomain) }),
      ...(excludedDomains.length > 0 && { exclude_domains: excludedDomains.map(bareDomain) }),
    };
    return {
      method: 'POST',
      path: '/v1/search',
      headers: { 'x-api-key': apiKey },
      body: {
        search_queries: [query.query.slice(0, longestParallelQuery)],
        objective: query.query,
        mode: parallelModeOf(query),
        ...(contextSize !== undefined &&
          maxCharacters === undefined && { max_chars_total: totalOf[contextSize] }),
        advanced_settings: {
          max_results: query.maxResults,
          ...(Object.keys(policy).length > 0 && { source_policy: policy }),
          excerpt_settings: { max_chars_per_result: maxCharacters ?? usualCharacters },
        },
      },
    };
  },
  results: ({ results }) =>
    objectsOf(results).flatMap(({ url, title, excerpts, publish_date: date }) =>
      resultOf(url, title, joinExcerpts(excerpts), date),
    ),
  price: (query, found) => {
    const isCheap = ['turbo', 'fast'].includes(parallelModeOf(query));
    return sumUsd(parseUsd(isCheap ? 0.001 : 0.005), extra(found));
  },
};
