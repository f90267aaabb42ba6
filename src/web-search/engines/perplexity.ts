import { parseUsd } from '../../core/money.ts';
import { bareDomain } from '../domains.ts';
import { objectsOf, resultOf, textOf } from '../read-results.ts';
import type { EngineFormat } from '../search-engine.ts';

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
