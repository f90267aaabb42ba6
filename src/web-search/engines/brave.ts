import { zeroUsd } from '../../core/money.ts';
import { isObject } from '../../util/json.ts';
import { withSites } from '../domains.ts';
import { joinExcerpts, objectsOf, resultOf } from '../read-results.ts';
import type { EngineFormat } from '../search-engine.ts';

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
