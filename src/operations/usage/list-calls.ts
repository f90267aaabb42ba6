import { hash } from 'node:crypto';
import { HeadgateError } from '../../core/errors.ts';
import type { CallFilters, CallPage, CallPlace, UsageFilters, UsageRange } from '../../ports/usage.ts';
import type { KeyActor } from '../actor.ts';
import type { Uses } from '../services.ts';
import { visibleTo } from './usage-series.ts';

/** Which calls to list. */
export interface CallsQuery {
  readonly range: UsageRange;
  readonly filters: UsageFilters;
  readonly calls: CallFilters;
  /** Where a part before has said that the next one begins. */
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** A part of the list. */
export interface Calls extends Omit<CallPage, 'next'> {
  readonly next: string | undefined;
}

/**
 * Lists calls that ended in a range, newest first (docs/spec/dashboard.md#requests): of the account for a management key,
 * its own for an inference key.
 * @throws HeadgateError `invalid_request` for a cursor of another list.
 */
export async function listCalls(
  actor: KeyActor,
  query: CallsQuery,
  { storage }: Uses<'usage'>,
): Promise<Calls> {
  const filters = { ...visibleTo(actor, query.filters), accountId: actor.account.id };
  const { range, calls, limit, cursor } = query;
  const list = listName(filters, calls);
  const before = cursor === undefined ? undefined : readCursor(cursor, list);
  const { next, ...page } = await storage.usage.calls({ range, filters, calls, before, limit });
  return { ...page, next: next && writeCursor(next, list) };
}

/** Distinguishes lists with other filters. */
function listName(...filters: readonly object[]): string {
  const text = JSON.stringify(filters, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  return hash('sha256', text, 'base64url').slice(0, 12);
}

function writeCursor({ settledAt, id }: CallPlace, list: string): string {
  return Buffer.from(`${settledAt} ${id} ${list}`).toString('base64url');
}

function readCursor(cursor: string, wanted: string): CallPlace {
  const [time, id, list] = Buffer.from(cursor, 'base64url').toString().split(' ');
  if (list !== wanted || id === undefined || !/^\d{1,15}$/.test(time ?? '')) {
    throw new HeadgateError('invalid_request', '"cursor" belongs to a list with other filters: begin anew.');
  }
  return { settledAt: Number(time), id };
}
