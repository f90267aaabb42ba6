import { HeadgateError } from '../../core/errors.ts';
import { parseUsd, sumUsd } from '../../core/money.ts';
import { bareDomain } from '../domains.ts';
import { joinExcerpts, objectsOf, resultOf } from '../read-results.ts';
import type { EngineFormat, SearchQuery } from '../search-engine.ts';
import { extra } from './exa.ts';

const modes = ['turbo', 'fast', 'basic', 'advanced'];
const totalOf = { low: 5_000, medium: 15_000, high: 30_000 };
const usualCharacters = 1_500;
const longestQuery = 200;
const modeOf = ({ mode = 'basic' }: SearchQuery) => (modes.includes(mode) ? mode : 'basic');

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
        search_queries: [query.query.slice(0, longestQuery)],
        objective: query.query,
        mode: modeOf(query),
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
    const isCheap = ['turbo', 'fast'].includes(modeOf(query));
    return sumUsd(parseUsd(isCheap ? 0.001 : 0.005), extra(found));
  },
};
