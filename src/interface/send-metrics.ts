import { isIP } from 'node:net';
import { HeadgateError } from '../core/errors.ts';
import { type AuthenticationServices, authenticate, bringsKey } from '../edge/authenticate.ts';
import type { RouteAnswer, RouteCall } from '../edge/route.ts';
import type { GatewayMetrics } from '../metrics/gateway-metrics.ts';
import { metricsContentType } from '../metrics/text-format.ts';

type MetricsServices = AuthenticationServices & {
  readonly metrics: Pick<GatewayMetrics, 'render'>;
};

/** What proxies add to requests they pass on. */
const forwardingHeaders = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];

/**
 * `GET /metrics` on the public listener (docs/spec/operations.md#other-paths): what is spent and how much is asked
 * concerns nobody but the operator. It is open where only this machine can ask, and needs a management key anywhere
 * else.
 * @throws HeadgateError `authentication`, `permission_denied`.
 */
export async function sendMetrics(call: RouteCall, services: MetricsServices): Promise<RouteAnswer> {
  await requireOperator(call, services);
  return { type: metricsContentType, text: await services.metrics.render() };
}

/** Whether a call may be shown what concerns the operator alone. Never fails. */
export async function isOperatorsCall(call: RouteCall, services: AuthenticationServices): Promise<boolean> {
  if (!isOfThisMachine(call, services.config.server.host) && !bringsKey(call.arrival)) return false;
  return requireOperator(call, services).then(
    () => true,
    () => false,
  );
}

async function requireOperator(call: RouteCall, services: AuthenticationServices): Promise<void> {
  if (isOfThisMachine(call, services.config.server.host)) return;
  const { arrival } = call;
  const { key } = await authenticate(arrival, services);
  if (key.kind === 'management') return;
  throw new HeadgateError('permission_denied', 'Metrics need a management key; yours is for inference.');
}

/**
 * Whether the listener can be reached from this machine alone, and neither a proxy on it asks for somebody else nor a
 * page whose name was made to lead here.
 */
function isOfThisMachine({ headers }: RouteCall, host: string): boolean {
  if (forwardingHeaders.some((name) => headers[name] !== undefined)) return false;
  const asked = URL.parse(`http://${headers.host ?? host}`)?.hostname ?? '';
  return isLoopback(host) && isLoopback(asked.replace(/^\[(.*)\]$/, '$1'));
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
