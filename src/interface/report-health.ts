import type { LoadState } from '../edge/edge-services.ts';
import type { Lifecycle } from '../edge/inference-services.ts';
import type { RouteAnswer } from '../edge/route.ts';
import { type DependencyHealth, serviceOf } from '../metrics/dependency-health.ts';

/** What it reads. */
interface HealthServices {
  readonly lifecycle: Pick<Lifecycle, 'ready' | 'draining'>;
  readonly load: LoadState;
  readonly health: Pick<DependencyHealth, 'check'>;
}

/**
 * `GET /health/ready`: 200 while requests are welcome, 503 naming what is not right
 * (docs/spec/operations.md#other-paths), within a few seconds whatever hangs.
 */
export async function reportHealth(services: HealthServices): Promise<RouteAnswer> {
  const { lifecycle, load, health } = services;
  const dependencies = await health.check();
  const { draining } = lifecycle;
  const { overload } = load;
  const status = lifecycle.ready && overload === undefined ? serviceOf(dependencies) : 'unavailable';
  const why = overload === undefined ? {} : { overload };
  return { status: status === 'unavailable' ? 503 : 200, json: { status, draining, ...why, dependencies } };
}
