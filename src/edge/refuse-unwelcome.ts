import { HeadgateError } from '../core/errors.ts';
import type { LoadState } from './edge-services.ts';
import type { Lifecycle } from './inference-services.ts';

/** Seconds after which another server may have taken over. */
const drainingRetry = 5;
/** Seconds after which running requests may be over. */
const overloadRetry = 2;

/** @throws HeadgateError `service_unavailable` when the server takes no more requests. */
export function refuseUnwelcome(lifecycle: Pick<Lifecycle, 'draining'>, load: LoadState): void {
  if (lifecycle.draining) {
    const message = 'The server is shutting down.';
    throw new HeadgateError('service_unavailable', message, { retryAfter: drainingRetry });
  }
  if (load.overload !== undefined) {
    const message = 'The server has more to do than it can.';
    throw new HeadgateError('service_unavailable', message, { retryAfter: overloadRetry });
  }
}
