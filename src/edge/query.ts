import type { FastifyRequest } from 'fastify';
import { malformed } from '../schema/fault.ts';

/**
 * A parameter of the query as text; undefined when it is absent or empty.
 * @throws HeadgateError `invalid_request` when it is given twice.
 */
export function queryText(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Readonly<Record<string, unknown>>)[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw malformed(name, 'give it once');
  return value;
}

/**
 * A parameter that is true or false.
 * @throws HeadgateError `invalid_request` when it is neither.
 */
export function queryFlag(request: FastifyRequest, name: string): boolean | undefined {
  const value = queryText(request, name)?.toLowerCase();
  if (value === undefined) return undefined;
  if (value !== 'true' && value !== 'false') throw malformed(name, 'expected true or false');
  return value === 'true';
}

/**
 * How many entries of a list to leave out, 0 by default.
 * @throws HeadgateError `invalid_request` when it is no whole number.
 */
export function queryOffset(request: FastifyRequest): number {
  const value = queryText(request, 'offset') ?? '0';
  if (!/^\d{1,9}$/.test(value)) throw malformed('offset', 'expected a whole number, 0 or more');
  return Number(value);
}

/** How many entries of a list are given. */
export interface PageSize {
  readonly usual: number;
  readonly most: number;
}

/** Of lists of what an account has. */
export const accountPage: PageSize = { usual: 50, most: 100 };
/** Of lists of models. */
export const modelPage: PageSize = { usual: 500, most: 1000 };

/**
 * How many entries of a list to give.
 * @throws HeadgateError `invalid_request` when it is no whole number from 1 to the most.
 */
export function queryLimit(request: FastifyRequest, { usual, most }: PageSize): number {
  const value = queryText(request, 'limit') ?? String(usual);
  const limit = /^\d{1,9}$/.test(value) ? Number(value) : 0;
  if (limit < 1 || limit > most) throw malformed('limit', `expected a whole number from 1 to ${most}`);
  return limit;
}
