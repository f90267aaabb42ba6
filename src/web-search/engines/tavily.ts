import { zeroUsd } from '../../core/money.ts';
import { bareDomain } from '../domains.ts';
import { objectsOf, resultOf, textOf } from '../read-results.ts';
import type { EngineFormat } from '../search-engine.ts';

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
