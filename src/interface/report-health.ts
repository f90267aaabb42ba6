import type { AppServices } from '../edge/app-services.ts';
import type { RouteAnswer } from '../edge/route.ts';
import { serviceOf } from '../metrics/dependency-health.ts';

/**
 * `GET /health/ready`: 200 while requests are welcome, 503 naming what is not right
 * (docs/spec/operations.md#other-paths), within a few seconds whatever hangs.
 */
export async function reportHealth(
  services: Pick<AppServices, 'lifecycle' | 'load' | 'health'>,
): Promise<RouteAnswer> {
  const { lifecycle, load, health } = services;
  const dependencies = await health.check();
  const { draining } = lifecycle;
  const { overload } = load;
  const status = lifecycle.ready && overload === undefined ? serviceOf(dependencies) : 'unavailable';
  const why = overload === undefined ? {} : { overload };
  return { status: status === 'unavailable' ? 503 : 200, json: { status, draining, ...why, dependencies } };
}
