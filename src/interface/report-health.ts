import type { AppServices } from '../edge/app-services.ts';
import type { RouteAnswer } from '../edge/route.ts';
import { serviceOf } from '../metrics/dependency-health.ts';

/**
 * `GET /health/ready`: 200 while requests are welcome, 503 naming what is not right (operations.md 4), within a few
 * seconds whatever hangs.
 */
export async function reportHealth(
  services: Pick<AppServices, 'lifecycle' | 'health'>,
): Promise<RouteAnswer> {
  const { lifecycle, health } = services;
  const dependencies = await health.check();
  const { draining } = lifecycle;
  const status = lifecycle.ready ? serviceOf(dependencies) : 'unavailable';
  return { status: status === 'unavailable' ? 503 : 200, json: { status, draining, dependencies } };
}
