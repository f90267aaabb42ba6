import type { EndpointHealth } from './statistics-snapshot.ts';

/** 0 healthy, 1 somewhat unreliable, 2 spared for a moment, 3 only when nothing else is left (routing.md 3.6). */
export type HealthRank = 0 | 1 | 2 | 3;

const fewAttempts = 100;
const reliable = 0.95;
const usable = 0.8;
const outageFailures = 2;
const outageShare = 0.2;

/** How far an endpoint can be relied on; one that nothing is known of counts as healthy. */
export function healthRank(health: EndpointHealth | undefined): HealthRank {
  if (health === undefined) return 0;
  const { attempts, failures, recentAttempts, recentFailures, coolingDown } = health;
  const uptime = attempts < fewAttempts ? 1 : (attempts - failures) / attempts;
  if (uptime < usable) return 3;
  const outage = recentFailures >= outageFailures && recentFailures >= outageShare * recentAttempts;
  if (outage || coolingDown) return 2;
  return uptime < reliable ? 1 : 0;
}
