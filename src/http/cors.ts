import type { FastifyReply, FastifyRequest } from 'fastify';
import { HeadgateError } from '../core/errors.ts';
import { headerText } from './header-text.ts';

const exposedHeaders = [
  'x-generation-id',
  'x-request-id',
  'retry-after',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
].join(', ');

/**
 * Applies the configured list of browser origins; without one, no origin is judged. Returns true when the
 * request was a preflight and is answered.
 * @throws HeadgateError `invalid_request` for an origin outside the list (accounts-and-limits 2).
 */
export function applyCors(request: FastifyRequest, reply: FastifyReply, origins: readonly string[]): boolean {
  const origin = headerText(request, 'origin');
  if (origin === undefined || origins.length === 0) return false;
  if (!origins.includes('*') && !origins.includes(origin)) {
    throw new HeadgateError(
      'invalid_request',
      'This origin may not call the API: it is not in server.cors_origins.',
    );
  }
  reply.headers({
    'access-control-allow-origin': origin,
    vary: 'origin',
    'access-control-expose-headers': exposedHeaders,
  });
  if (request.method !== 'OPTIONS') return false;
  reply
    .code(204)
    .headers({
      'access-control-allow-methods': 'GET, POST, PATCH, PUT, DELETE',
      'access-control-allow-headers':
        headerText(request, 'access-control-request-headers') ?? 'authorization, content-type',
      'access-control-max-age': '600',
    })
    .send();
  return true;
}
