import type { FastifyRequest } from 'fastify';

/** A request header as one text; undefined when it is absent or empty. */
export function headerText(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  const text = Array.isArray(value) ? value[0] : value;
  return text === undefined || text === '' ? undefined : text;
}
