import { HeadgateError } from '../../core/errors.ts';
import { zeroUsd } from '../../core/money.ts';
import { isObject } from '../../util/json.ts';
import { withSites } from '../domains.ts';
import { objectsOf, resultOf, textOf } from '../read-results.ts';
import type { EngineFormat } from '../search-engine.ts';

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
