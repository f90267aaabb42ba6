import { malformed } from '../schema/fault.ts';

/** The parameters of a query, decoded. One that is given several times has a list. */
export type Query = Readonly<Record<string, string | readonly string[]>>;

/** What reads a query needs of a request. */
export interface Queried {
  readonly query: Query;
}

const noQuery: Query = {};

/** The query of a request's target, such as `/models?sort=newest`. */
export function parseQuery(target: string): Query {
  const start = target.indexOf('?');
  if (start === -1) return noQuery;
  // Any name may be in a query, `__proto__` too.
  const query: Record<string, string | readonly string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(target.slice(start))) {
    const before = query[name];
    query[name] = before === undefined ? value : [before, value].flat();
  }
  return query;
}

/**
 * A parameter of the query as text; undefined when it is absent or empty.
 * @throws HeadgateError `invalid_request` when it is given twice.
 */
export function queryText({ query }: Queried, name: string): string | undefined {
  const value = query[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw malformed(name, 'give it once');
  return value;
}

/**
 * A parameter that is true or false.
 * @throws HeadgateError `invalid_request` when it is neither.
 */
export function queryFlag(call: Queried, name: string): boolean | undefined {
  const value = queryText(call, name)?.toLowerCase();
  if (value === undefined) return undefined;
  if (value !== 'true' && value !== 'false') throw malformed(name, 'expected true or false');
  return value === 'true';
}

/**
 * How many entries of a list to leave out, 0 by default.
 * @throws HeadgateError `invalid_request` when it is no whole number.
 */
export function queryOffset(call: Queried): number {
  const value = queryText(call, 'offset') ?? '0';
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
export function queryLimit(call: Queried, { usual, most }: PageSize): number {
  const value = queryText(call, 'limit') ?? String(usual);
  const limit = /^\d{1,9}$/.test(value) ? Number(value) : 0;
  if (limit < 1 || limit > most) throw malformed('limit', `expected a whole number from 1 to ${most}`);
  return limit;
}
