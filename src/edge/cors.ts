import { HeadgateError } from '../core/errors.ts';
import { headerText } from './header-text.ts';
import type { ReceivedRequest } from './received-request.ts';

const exposedHeaders = [
  'x-generation-id',
  'x-request-id',
  'retry-after',
  'x-should-retry',
  'idempotent-replayed',
  'x-service-left-out',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
].join(', ');

/**
 * The headers that let a page of the request's origin read the answer; undefined when no origin is given, or when none
 * is configured and so none is judged.
 * @throws HeadgateError `invalid_request` for an origin outside the configured list (docs/spec/accounts.md#origins).
 */
export function corsHeaders(
  request: Pick<ReceivedRequest, 'headers'>,
  origins: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (origins.length === 0) return undefined;
  const origin = headerText(request, 'origin');
  if (origin === undefined) return undefined;
  if (!origins.includes('*') && !origins.includes(origin)) {
    throw new HeadgateError(
      'invalid_request',
      'This origin may not call the API: it is not in server.cors_origins.',
    );
  }
  return {
    'access-control-allow-origin': origin,
    vary: 'origin',
    'access-control-expose-headers': exposedHeaders,
  };
}

/** The further headers that answer a preflight request of an allowed origin. */
export function preflightHeaders(
  request: Pick<ReceivedRequest, 'headers'>,
): Readonly<Record<string, string>> {
  return {
    'access-control-allow-methods': 'GET, POST, PATCH, PUT, DELETE',
    'access-control-allow-headers':
      headerText(request, 'access-control-request-headers') ?? 'authorization, content-type',
    'access-control-max-age': '600',
  };
}
