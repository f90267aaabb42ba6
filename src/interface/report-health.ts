import { setTimeout as sleep } from 'node:timers/promises';
import type { AuthenticationServices } from '../edge/authenticate.ts';
import type { LoadState } from '../edge/edge-services.ts';
import type { Lifecycle } from '../edge/inference-services.ts';
import type { RouteAnswer, RouteCall } from '../edge/route.ts';
import { type DependencyHealth, serviceOf } from '../metrics/dependency-health.ts';
import { showDiskUse } from '../operations/installation/show-disk-use.ts';
import type { InterfaceServices } from './interface-services.ts';
import { isOperatorsCall } from './send-metrics.ts';

/** What it reads. */
type HealthServices = AuthenticationServices &
  Pick<InterfaceServices, 'diskUse'> & {
    readonly lifecycle: Pick<Lifecycle, 'ready' | 'draining'>;
    readonly load: LoadState;
    readonly health: Pick<DependencyHealth, 'check'>;
  };

/** Milliseconds to wait for what takes room. */
const patience = 1_000;

/**
 * `GET /health/ready`: 200 while requests are welcome, 503 naming what is not right
 * (docs/spec/operations.md#other-paths), within a few seconds whatever hangs. Those who may read metrics are also shown what takes
 * room.
 */
export async function reportHealth(call: RouteCall, services: HealthServices): Promise<RouteAnswer> {
  const { lifecycle, load, health } = services;
  const [dependencies, disk] = await Promise.all([health.check(), diskFor(call, services)]);
  const { draining } = lifecycle;
  const { overload } = load;
  const status = lifecycle.ready && overload === undefined ? serviceOf(dependencies) : 'unavailable';
  const why = overload === undefined ? {} : { overload };
  const json = { status, draining, ...why, dependencies, ...(disk && { disk: showDiskUse(disk) }) };
  return { status: status === 'unavailable' ? 503 : 200, json };
}

async function diskFor(call: RouteCall, services: HealthServices) {
  if (!(await isOperatorsCall(call, services))) return undefined;
  const late = new AbortController();
  const timer = sleep(patience, undefined, { signal: late.signal }).catch(() => undefined);
  await Promise.race([services.diskUse.first(), timer]);
  late.abort();
  return services.diskUse.value;
}
