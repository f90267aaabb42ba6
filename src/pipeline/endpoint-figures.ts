import type { Endpoint } from '../core/catalogue.ts';
import type { EndpointStatistics } from '../ports/endpoint-statistics.ts';
import { type PublishedFigures, publishedFigures } from '../routing/statistics/published-figures.ts';

/** What may be published of an endpoint, with what lists sort and filter by. */
export interface EndpointFigures extends PublishedFigures {
  /** Of the answers with tool calls, the fraction whose calls were all valid; undefined without any. */
  readonly toolSuccessRate?: number;
}

/** The figures of an endpoint as the shared credential sees it. */
export function endpointFigures(endpoint: Endpoint, statistics: EndpointStatistics): EndpointFigures {
  const { requests = 0, marked = 0 } = statistics.answers(endpoint)?.toolCalls ?? {};
  return {
    ...publishedFigures(endpoint, statistics),
    ...(requests === 0 ? {} : { toolSuccessRate: 1 - marked / requests }),
  };
}
