import { hash } from 'node:crypto';
import { HeadgateError } from '../../core/errors.ts';
import type { CallFilters, CallPlace, UsageFilters, UsageRange } from '../../ports/usage.ts';
import type { KeyActor } from '../actor.ts';
import type { Uses } from '../services.ts';
import { type ListedCall, mergeCalls } from './merge-calls.ts';
import { visibleTo } from './usage-series.ts';

/** Which calls to list. */
export interface CallsQuery {
  readonly range: UsageRange;
  readonly filters: UsageFilters;
  readonly calls: CallFilters;
  /** Whether requests that were turned away are listed: beside calls, alone or not at all. */
  readonly refused: 'too' | 'only' | 'never';
  /** Where a part before has said that the next one begins. */
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** A part of the list. */
export interface Calls {
  readonly calls: readonly ListedCall[];
  readonly next: string | undefined;
  /** How far was searched, Unix milliseconds. */
  readonly searchedTo: number;
}

/**
 * Lists calls that ended in a range and requests that were turned away in it, newest first (docs/spec/dashboard.md#requests): of
 * the account for a management key, its own for an inference key.
 * @throws HeadgateError `invalid_request` for a cursor of another list.
 */
export async function listCalls(
  actor: KeyActor,
  query: CallsQuery,
  { storage }: Uses<'usage' | 'callNotes'>,
): Promise<Calls> {
  const filters = { ...visibleTo(actor, query.filters), accountId: actor.account.id };
  const { range, calls, limit, cursor, refused } = query;
  const list = listName(filters, calls, { refused });
  const before = cursor === undefined ? undefined : readCursor(cursor, list);
  const asked = { range, filters, calls, before, limit };
  const [served, turnedAway] = await Promise.all([
    refused === 'only' ? undefined : storage.usage.calls(asked),
    refused === 'never' || !mayBeRefused(filters, calls) ? [] : storage.callNotes.refused(asked),
  ]);
  const { next, ...page } = mergeCalls(served, turnedAway, { range, limit });
  return { ...page, next: next && writeCursor(next, list) };
}

/** Whether a request that reached no endpoint could fit: it has no provider, no time and no cost. */
function mayBeRefused({ provider, endpoint, failed }: UsageFilters, calls: CallFilters): boolean {
  const ofRefused: readonly (keyof CallFilters)[] = [
    'sessionId',
    'externalUser',
    'appTitle',
    'requestId',
    'status',
    'requestedModel',
    'preset',
  ];
  const others = Object.entries(calls).filter(([name]) => !ofRefused.some((known) => known === name));
  return [provider, endpoint, failed, ...others.map(([, value]) => value)].every(
    (value) => value === undefined,
  );
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
