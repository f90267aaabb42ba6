import type { HealthRules } from '../core/routing-rules.ts';
import type { EndpointHealth } from './statistics-snapshot.ts';

/**
 * 0 healthy, 1 somewhat unreliable, 2 temporarily avoided, 3 only when nothing else is left
 * (docs/spec/routing.md#health).
 */
export type HealthRank = 0 | 1 | 2 | 3;

/** The reliability of an endpoint; an unknown one counts as healthy. */
export function healthRank(health: EndpointHealth | undefined, rules: HealthRules): HealthRank {
  if (health === undefined) return 0;
  const { attempts, failures, recentAttempts, recentFailures, coolingDown } = health;
  const uptime = attempts < rules.uptimeRequests ? 1 : (attempts - failures) / attempts;
  if (uptime < rules.usableUptime) return 3;
  const { outageFailures, outageShare } = rules;
  const outage = recentFailures >= outageFailures && recentFailures >= outageShare * recentAttempts;
  if (outage || coolingDown) return 2;
  return uptime < rules.reliableUptime ? 1 : 0;
}
