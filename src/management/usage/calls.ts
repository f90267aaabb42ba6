import { hash } from 'node:crypto';
import { HeadgateError } from '../../core/errors.ts';
import type { RefusedRequest } from '../../ports/call-notes.ts';
import type { Verdict } from '../../ports/feedback.ts';
import type { Generation } from '../../ports/generations.ts';
import type { CallFilters, CallPage, CallPlace, UsageFilters, UsageRange } from '../../ports/usage.ts';
import type { KeyActor } from '../actor.ts';
import type { Uses } from '../services.ts';
import { visibleTo } from './series.ts';

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
  { storage }: Uses<'usage' | 'callNotes' | 'feedback'>,
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
  const judged = await withVerdicts(page.calls, { storage });
  return { ...page, calls: judged, next: next && writeCursor(next, list) };
}

/** Calls with what was said of them. */
export async function withVerdicts<Call extends ListedCall>(
  calls: readonly Call[],
  { storage }: Uses<'feedback'>,
): Promise<readonly Call[]> {
  const found = await storage.feedback.verdicts(calls.map(({ generation }) => generation.id));
  if (found.size === 0) return calls;
  return calls.map((call) => {
    const verdict = found.get(call.generation.id);
    return verdict === undefined ? call : { ...call, verdict };
  });
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

/** A call that has a record, or a request that was turned away and has the form of one. */
export type ListedCall = {
  readonly generation: Generation;
  /** What was said of it last. */
  readonly verdict?: Verdict;
} & Partial<RefusedRequest>;

interface Merged {
  readonly calls: readonly ListedCall[];
  /** Where the next part begins; undefined when the range is exhausted. */
  readonly next: CallPlace | undefined;
  readonly searchedTo: number;
}

/**
 * One page of two lists that begin at the same place, newest first. Where one of them was read less far than the other, the page
 * ends there.
 * @param served Undefined where calls are not listed.
 * @param refused As many as `limit` where there may be more.
 */
export function mergeCalls(
  served: CallPage | undefined,
  refused: readonly RefusedRequest[],
  { range, limit }: { readonly range: UsageRange; readonly limit: number },
): Merged {
  const lastRefused = refused.length < limit ? undefined : placeOf(refused.at(-1));
  const end = newest(served?.next, lastRefused);
  const calls: ListedCall[] = [
    ...(served?.generations ?? []).map((generation) => ({ generation })),
    ...refused,
  ];
  const read = calls
    .filter((call) => end === undefined || !isOlder(placeOf(call), end))
    .sort((one, other) => (isOlder(placeOf(one), placeOf(other)) ? 1 : -1));
  const page = read.slice(0, limit);
  const next = page.length < read.length ? placeOf(page.at(-1)) : end;
  const searchedTo = next?.settledAt ?? served?.searchedTo ?? range.from;
  return { calls: page, next, searchedTo };
}

const nowhere: CallPlace = { settledAt: 0, id: '' };

function placeOf(call: ListedCall | undefined): CallPlace {
  if (call === undefined) return nowhere;
  const { settledAt, id } = call.generation;
  return { settledAt, id };
}

function newest(one: CallPlace | undefined, other: CallPlace | undefined): CallPlace | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return isOlder(one, other) ? other : one;
}

function isOlder(one: CallPlace, other: CallPlace): boolean {
  return one.settledAt === other.settledAt ? one.id < other.id : one.settledAt < other.settledAt;
}

/** Calls that one file holds at most, and that are looked at for it. */
export const mostExported = 1_000_000;

/** Calls that are read together. */
const pageLength = 200;
const quarter = 900_000;

/** Which calls to export. */
type ExportQuery = Omit<CallsQuery, 'cursor' | 'limit'>;

/**
 * All calls of a list, newest first, read page by page as they are wanted (docs/spec/dashboard.md#files). Calls that end while
 * it is read are left out where the range ends before they do.
 * @throws HeadgateError `invalid_request`, before the first page, for a range with more than `mostExported` calls of those
 *   filters that sums know.
 */
export async function* exportCalls(
  actor: KeyActor,
  query: ExportQuery,
  services: Uses<'usage' | 'callNotes' | 'feedback'>,
): AsyncGenerator<readonly ListedCall[]> {
  await refuseTooMany(actor, query, services);
  let cursor: string | undefined;
  do {
    const { calls, next } = await listCalls(actor, { ...query, cursor, limit: pageLength }, services);
    if (calls.length > 0) yield calls;
    cursor = next;
  } while (cursor !== undefined);
}

async function refuseTooMany(
  actor: KeyActor,
  { range: { from, to }, filters, refused }: ExportQuery,
  { storage }: Uses<'usage'>,
): Promise<void> {
  if (refused === 'only') return;
  const range = { from: Math.floor(from / quarter) * quarter, to: Math.ceil(to / quarter) * quarter };
  const [sums] = await storage.usage.totals({ range, filters: visibleTo(actor, filters) }, 1);
  const { requests = 0 } = sums ?? {};
  if (requests <= mostExported) return;
  const [most, found] = [mostExported, requests].map((count) => count.toLocaleString('en-US'));
  throw new HeadgateError(
    'invalid_request',
    `One file is made of at most ${most} requests, and this range has ${found}: choose a shorter one.`,
  );
}
