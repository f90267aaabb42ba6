import { zeroUsd } from '../../core/money.ts';
import { withSites } from '../domains.ts';
import { objectsOf, resultOf, textOf } from '../read-results.ts';
import type { EngineFormat } from '../search-engine.ts';

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
