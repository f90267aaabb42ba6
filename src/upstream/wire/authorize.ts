import type { UpstreamCall } from '../../ports/upstream.ts';
import type { Adapter } from '../adapter.ts';
import { passedLimit } from './failure.ts';
import type { OutgoingRequest } from './transport.ts';

type Headers = Readonly<Record<string, string>>;

/**
 * Adds an adapter's authorization headers to a request. They override all others, because a signature covers them.
 * Waits no longer than the connect timeout.
 * @throws HeadgateError what the adapter throws, or `provider_failed` when it takes too long; the signal's reason
 * when the call is aborted meanwhile.
 */
export function authorize(
  adapter: Adapter,
  call: UpstreamCall,
  request: OutgoingRequest,
): OutgoingRequest | Promise<OutgoingRequest> {
  if (adapter.authorize === undefined) return request;
  const url = new URL(`${request.origin}${request.path}`);
  const headers = adapter.authorize({ url, headers: request.headers, body: request.body }, call);
  if (!(headers instanceof Promise)) return withHeaders(request, headers);
  return inTime(headers, call).then((settled) => withHeaders(request, settled));
}

function withHeaders(request: OutgoingRequest, headers: Headers): OutgoingRequest {
  return { ...request, headers: { ...request.headers, ...headers } };
}

async function inTime(headers: Promise<Headers>, { endpoint, signal }: UpstreamCall): Promise<Headers> {
  const { provider } = endpoint;
  const over = Promise.withResolvers<never>();
  const onAbort = () => over.reject(signal.reason);
  const onLate = () => over.reject(passedLimit(provider, 'connect'));
  const timer = setTimeout(onLate, provider.timeouts.connect);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([headers, over.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
