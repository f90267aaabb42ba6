import { HeadgateError } from '../../core/errors.ts';
import type { KeyActor } from '../actor.ts';
import type { Uses } from '../services.ts';
import { type CallsQuery, listCalls } from './list-calls.ts';
import type { ListedCall } from './merge-calls.ts';
import { visibleTo } from './usage-series.ts';

/** Calls that one file holds at most, and that are looked at for it. */
export const mostExported = 1_000_000;

/** Calls that are read together. */
const pageLength = 200;
const quarter = 900_000;

/** Which calls to export. */
export type ExportQuery = Omit<CallsQuery, 'cursor' | 'limit'>;

/**
 * All calls of a list, newest first, read page by page as they are wanted (docs/spec/dashboard.md#files). Calls that end while
 * it is read are left out where the range ends before they do.
 * @throws HeadgateError `invalid_request`, before the first page, for a range with more than `mostExported` calls of those
 *   filters that sums know.
 */
export async function* exportCalls(
  actor: KeyActor,
  query: ExportQuery,
  services: Uses<'usage' | 'callNotes'>,
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
