import type { Catalogue } from '../../core/catalogue.ts';
import { HeadgateError } from '../../core/errors.ts';
import { type NanoUsd, sumUsd, zeroUsd } from '../../core/money.ts';
import type { ActivityRow } from '../../ports/activity.ts';
import type { HitGroup, HitGrouping, HitSums } from '../../ports/cached-hits.ts';
import type { CallNote, Refusal } from '../../ports/call-notes.ts';
import type { Generation, UsageGrouping, UsageRow } from '../../ports/generations.ts';
import { malformed } from '../../schema/fault.ts';
import { dayLength, dayName, isCalendarDay, utcDay } from '../../util/utc-windows.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { Actor, KeyActor, OperatorActor } from '../actor.ts';
import type { Uses } from '../services.ts';

/** All that is kept of one call or of a request that was turned away. */
export interface ReadCall {
  readonly generation: Generation;
  readonly refusal?: Refusal | undefined;
  /** How it was routed, where that was kept. */
  readonly note?: CallNote | undefined;
  /** The other calls of its request. */
  readonly related: readonly Generation[];
}

const mostRelated = 100;

/**
 * One call with what is kept beside its record: of the account for a management key, its own for an inference key.
 * @throws HeadgateError `not_found`.
 */
export async function readCall(
  actor: KeyActor,
  id: string,
  { storage }: Uses<'generations' | 'callNotes'>,
): Promise<ReadCall> {
  const note = await storage.callNotes.find(id);
  const isOwn = note !== undefined && note.accountId === actor.account.id;
  const call: ReadCall =
    isOwn && note.refused !== undefined
      ? { ...note.refused, note, related: [] }
      : { ...(await readRecord(actor, id, { storage })), note: isOwn ? note : undefined };
  if (actor.keyKind === 'inference' && call.generation.keyHash !== actor.keyHash) {
    throw new HeadgateError('not_found', 'There is no such generation of this key.');
  }
  return call;
}

async function readRecord(
  actor: KeyActor,
  id: string,
  { storage }: Uses<'generations'>,
): Promise<Pick<ReadCall, 'generation' | 'related'>> {
  const { generation, further } = await readGeneration(actor, id, { storage });
  const { requestId } = generation;
  const isFirst = requestId === generation.id;
  const others = isFirst ? further : await storage.generations.ofRequest(requestId);
  const first = isFirst ? undefined : await storage.generations.find(requestId);
  const related = [...(first === undefined ? [] : [first]), ...others].filter((one) => one.id !== id);
  return { generation, related: related.slice(0, mostRelated) };
}

/** What usage can be summed by. */
export const usageGroups = ['account', 'key', 'model', 'provider', 'day'] as const satisfies UsageGrouping[];

/** UTC days: so many back, today included; or from one to another, both included, counted from 1970. */
export type UsageRange =
  | { readonly days: number; readonly to?: undefined }
  | { readonly from: number; readonly to: number };

/** Which calls are summed, and how. */
export interface UsageQuestion {
  readonly range: UsageRange;
  readonly by: UsageGrouping;
  /** Of this account alone; of all by default. */
  readonly accountId?: string;
}

/** What was used since a moment. */
export interface UsageReport {
  /** Unix milliseconds. */
  readonly since: number;
  readonly rows: readonly UsageRow[];
  /** Models with an endpoint without a price, whose calls count as 0 in the sums. */
  readonly unpricedModels: readonly string[];
  /** Answers that were given from the cache instead. */
  readonly cachedHits: CachedHitsReport;
}

/**
 * Sums the requests, tokens and cost of some UTC days.
 * @throws HeadgateError `not_found` for an account that does not exist.
 */
export async function reportUsage(
  actor: OperatorActor,
  { range, by, accountId }: UsageQuestion,
  services: Uses<'accounts' | 'generations' | 'cachedHits', 'clock'>,
  { models }: Pick<Catalogue, 'models'>,
): Promise<UsageReport> {
  const { storage, clock } = services;
  if (accountId !== undefined) await accountOf(actor, accountId, services);
  const first = 'days' in range ? utcDay(clock.now()) - range.days + 1 : range.from;
  const endDay = 'days' in range ? undefined : range.to + 1;
  const since = first * dayLength;
  const sums = (grouping: UsageGrouping) => storage.generations.usage(since, grouping, accountId, endDay);
  const rows = await sums(by);
  const byModel = by === 'model' ? rows : await sums('model');
  const lacksPrice = (id: string) =>
    models.get(id)?.endpoints.some(({ price }) => price === undefined) === true;
  const cachedHits = await reportCachedHits({ since, endDay, by, accountId }, services);
  return { since, rows, cachedHits, unpricedModels: byModel.map(({ group }) => group).filter(lacksPrice) };
}

const daysShown = 30;

/** What to report. Members are read in this order, so one that throws when it is read refuses in its turn. */
interface ActivityInput {
  /** A single UTC day as `YYYY-MM-DD`; by default the last 30 whole days. */
  readonly date?: string;
  readonly keyHash?: string;
  readonly creatorUserId?: string;
  /** The id of a workspace. */
  readonly workspace?: string;
  /** Keeps workspaces apart. */
  readonly byWorkspace: boolean;
}

/**
 * The calls of an account by day, model and endpoint (docs/spec/accounts.md#reports), newest day first.
 * @throws HeadgateError `invalid_request` for a day out of range, `not_found` for a workspace of somebody else.
 */
export async function reportActivity(
  actor: Actor,
  input: ActivityInput,
  services: Uses<'accounts' | 'activity' | 'workspaces', 'clock'>,
): Promise<readonly ActivityRow[]> {
  const { storage, clock } = services;
  const { id: accountId } = await accountOf(actor, undefined, services);
  const days = readDays(input.date, clock.now());
  const { keyHash, creatorUserId, byWorkspace } = input;
  const workspaceId = input.workspace?.toLowerCase();
  if (
    workspaceId !== undefined &&
    (await storage.workspaces.find(accountId, workspaceId))?.id !== workspaceId
  ) {
    throw new HeadgateError('not_found', 'There is no such workspace in this account.');
  }
  return storage.activity.activity({ accountId, ...days, keyHash, creatorUserId, workspaceId, byWorkspace });
}

function readDays(date: string | undefined, now: number) {
  const yesterday = utcDay(now) - 1;
  const oldest = yesterday - daysShown + 1;
  if (date === undefined) return { firstDay: oldest, lastDay: yesterday };
  const day = isCalendarDay(date) ? utcDay(Date.parse(`${date}T00:00:00Z`)) : Number.NaN;
  if (!(day >= oldest && day <= yesterday)) {
    throw malformed('date', `expected a day from ${dayName(oldest)} to ${dayName(yesterday)}, as YYYY-MM-DD`);
  }
  return { firstDay: day, lastDay: day };
}

/** What the cache of answers saved since a moment. */
export interface CachedHitsReport {
  readonly total: HitSums;
  /** By group, where hits can be grouped like calls: no provider makes an answer that is kept. */
  readonly groups?: ReadonlyMap<string, HitSums>;
}

/** Sums the answers that were given from the cache (docs/spec/caching.md#reports). */
async function reportCachedHits(
  {
    since,
    endDay,
    by,
    accountId,
  }: {
    readonly since: number;
    readonly endDay: number | undefined;
    readonly by: UsageGrouping;
    readonly accountId: string | undefined;
  },
  { storage }: Uses<'cachedHits'>,
): Promise<CachedHitsReport> {
  const grouping: HitGrouping | undefined = by === 'provider' ? undefined : by;
  const rows = await storage.cachedHits.groups(since, grouping ?? 'day', accountId, endDay);
  const total = rows.reduce(addHits, noHits);
  return grouping === undefined ? { total } : { total, groups: byGroup(rows) };
}

/** No hits. */
export const noHits: HitSums = { hits: 0, saved: zeroUsd };

/** The hits of two groups together. */
export function addHits(one: HitSums, other: HitSums): HitSums {
  const saved: NanoUsd = sumUsd(one.saved, other.saved);
  return { hits: one.hits + other.hits, saved };
}

/** Several keys may have one label. */
function byGroup(rows: readonly HitGroup[]): ReadonlyMap<string, HitSums> {
  const groups = new Map<string, HitSums>();
  for (const row of rows) groups.set(row.group, addHits(groups.get(row.group) ?? noHits, row));
  return groups;
}

/** The record of one turn. */
interface ReadGeneration {
  readonly generation: Generation;
  /** The other turns of its request, inner ones included; only with the first one. */
  readonly further: readonly Generation[];
}

/**
 * The record of one model call. A key of any kind reads those of its account.
 * @throws HeadgateError `not_found`.
 */
export async function readGeneration(
  actor: Actor,
  id: string,
  { storage }: Uses<'generations'>,
): Promise<ReadGeneration> {
  const found = await storage.generations.find(id);
  const seen = actor.kind === 'operator' || found?.accountId === actor.account.id;
  if (found !== undefined && seen) {
    const further = found.requestId === found.id ? await storage.generations.ofRequest(id) : [];
    return { generation: found, further };
  }
  throw new HeadgateError(
    'not_found',
    'There is no such generation in this account, or it is still running.',
  );
}
