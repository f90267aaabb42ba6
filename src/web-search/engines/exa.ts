import { type NanoUsd, parseUsd, sumUsd } from '../../core/money.ts';
import { bareDomain } from '../domains.ts';
import { joinExcerpts, objectsOf, resultOf } from '../read-results.ts';
import type { EngineFormat, SearchQuery } from '../search-engine.ts';

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
