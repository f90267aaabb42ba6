import { HeadgateError } from '../core/errors.ts';
import type { Lifecycle } from './app-services.ts';

/** Seconds after which another server may have taken over. */
const drainingRetry = 5;

/** @throws HeadgateError `service_unavailable` when the server takes no more requests. */
export function refuseWhileDraining(lifecycle: Pick<Lifecycle, 'draining'>): void {
  if (!lifecycle.draining) return;
  const message = 'The server is shutting down.';
  throw new HeadgateError('service_unavailable', message, { retryAfter: drainingRetry });
}
