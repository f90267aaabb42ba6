import type { Endpoint } from '../core/catalogue.ts';
import { healthRank } from '../routing/ordering-key.ts';
import type { Services } from './services.ts';

/** How an endpoint in service does at the moment. */
export type EndpointCondition = 'normal' | 'degraded' | 'down' | 'rate_limited';

/**
 * How an endpoint does as the shared credential sees it, by the ranks that routing uses
 * (docs/spec/routing.md#health).
 */
export function endpointCondition(
  endpoint: Endpoint,
  { endpointStatistics, routing }: Pick<Services, 'endpointStatistics' | 'routing'>,
): EndpointCondition {
  const health = endpointStatistics.health(endpoint);
  switch (healthRank(health, routing().health)) {
    case 0:
      return 'normal';
    case 1:
      return 'degraded';
    case 2:
      return health?.coolingDown === true ? 'rate_limited' : 'down';
    case 3:
      return 'down';
  }
}
