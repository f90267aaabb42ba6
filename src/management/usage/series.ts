import { HeadgateError } from '../../core/errors.ts';
import type { CachedHitStore, HitSums } from '../../ports/cached-hits.ts';
import type {
  CellStep,
  UsageDimension,
  UsageFilters,
  UsageRange,
  UsageStep,
  UsageStore,
  UsageSums,
} from '../../ports/usage.ts';
import { type OffsetAt, zoneOffsets } from '../../util/local-days.ts';
import { dayLength } from '../../util/utc-windows.ts';
import type { Actor } from '../actor.ts';
import { addHits, noHits } from '../reports/reports.ts';
import type { Uses } from '../services.ts';
import type { AllAccountsUsage } from './all-accounts-usage.ts';
import {
  addSums,
  allAccountsSource,
  type CallTimesSummary,
  noUsage,
  type SeriesSource,
  summarizeTimes,
  type TimeClasses,
  timeClasses,
  totalTimeOf,
} from './cells.ts';

/** What to read of the times of calls: nothing, percentiles, or also how many lie in which class. */
export type WantedTimes = 'none' | 'percentiles' | 'classes';

/** What a chart asks for. */
export interface SeriesQuery {
  readonly from: number;
  readonly to: number;
  readonly bucket: Bucket;
  /** A zone of the IANA database. */
  readonly zone: string;
  readonly filters: UsageFilters;
  readonly group?: UsageDimension | undefined;
  /** How many groups to tell apart; the rest is one. */
  readonly top: number;
  readonly compare?: 'previous' | 'week' | undefined;
  /** Which times are wanted as well. */
  readonly times: WantedTimes;
  /** Whether all accounts are meant together. */
  readonly allAccounts: boolean;
}

/** One line of a chart. */
export interface SeriesGroup {
  /** Undefined for all groups that are not among the top ones together. */
  readonly value: string | undefined;
  readonly totals: UsageSums;
  /** One for each step. */
  readonly series: readonly UsageSums[];
}

/** How long the calls of a sample took. */
export interface SeriesTimes {
  readonly all: CallTimesSummary;
  readonly steps: readonly CallTimesSummary[];
  /** Of total times; undefined without any, and where they are not wanted. */
  readonly classes: TimeClasses | undefined;
}

/** A chart. */
export interface Series {
  readonly steps: TimeSteps;
  /** The zone of its days. */
  readonly zone: string;
  /** When its sums were read, Unix milliseconds; undefined for now. */
  readonly readAt: number | undefined;
  readonly all: SeriesGroup;
  readonly groups: readonly SeriesGroup[];
  /** How many groups the last one stands for. */
  readonly others: number;
  /** The sums of the range that it is compared with. */
  readonly previous: { readonly range: UsageRange; readonly totals: UsageSums } | undefined;
  readonly times: SeriesTimes | undefined;
  /** Answers given from the cache; undefined where a filter is about what they do not have. */
  readonly cachedHits: { readonly all: HitSums; readonly steps: readonly HitSums[] } | undefined;
}

/** Groups that are looked at to choose the top ones from, and to count the others. */
const mostGroups = 10_000;
/** Records whose times are read for one chart. */
const mostTimes = 20_000;

/** What an actor may see of usage: a management key its account, an inference key its own calls. */
export function visibleTo(actor: Actor, filters: UsageFilters): UsageFilters {
  if (actor.kind === 'operator') return filters;
  const accountId = actor.account.id;
  return actor.keyKind === 'management'
    ? { ...filters, accountId }
    : { ...filters, accountId, keyHash: actor.keyHash };
}

/**
 * Sums of usage over time (docs/spec/dashboard.md#numbers). Refuses like `timeSteps`, `checkAllAccounts` and
 * `AllAccountsUsage`.
 */
export async function usageSeries(
  actor: Actor,
  query: SeriesQuery,
  services: Uses<'usage' | 'cachedHits'> & { readonly allUsage: Pick<AllAccountsUsage, 'read'> },
): Promise<Series> {
  if (query.allAccounts) return allAccountsSeries(actor, query, services.allUsage);
  const { storage } = services;
  const { zone } = query;
  const filters = visibleTo(actor, query.filters);
  const steps = timeSteps(query.from, query.to, query.bucket, zone);
  return {
    ...(await readGroups({ ...query, filters }, steps, storage.usage)),
    zone,
    readAt: undefined,
    cachedHits: await readHits(steps, filters, storage.cachedHits),
    times: await readTimes(query.times, steps, filters, storage.usage),
  };
}

/** The same of all accounts together, which know no keys, workspaces, cached answers and times; days are those of UTC. */
async function allAccountsSeries(
  actor: Actor,
  query: SeriesQuery,
  allUsage: Pick<AllAccountsUsage, 'read'>,
): Promise<Series> {
  checkAllAccounts(actor, query);
  const wanted = timeSteps(query.from, query.to, query.bucket, query.zone);
  const isByDay = wanted.bucket === '1d';
  const zone = isByDay ? 'UTC' : query.zone;
  const steps = isByDay ? timeSteps(query.from, query.to, '1d', zone) : wanted;
  const range = rangeOf(steps);
  const step = cellStepOf(steps);
  const { readAt } = await allUsage.read(range, step);
  const source = allAccountsSource(allUsage, { range, step });
  return {
    ...(await readGroups(query, steps, source)),
    zone,
    readAt,
    cachedHits: undefined,
    times: undefined,
  };
}

/**
 * @throws HeadgateError `permission_denied` for an actor that does not operate the installation, `invalid_request` for
 *   what these sums do not know.
 */
function checkAllAccounts(actor: Actor, { filters, group, times }: SeriesQuery): void {
  if (actor.kind === 'key' && actor.operates !== true) {
    throw new HeadgateError(
      'permission_denied',
      'Sums of all accounts need a management key of an account in server.dashboard.operator_accounts.',
    );
  }
  const unknown = [
    ...(filters.keyHash === undefined ? [] : ['"key"']),
    ...(filters.workspaceId === undefined ? [] : ['"workspace"']),
    ...(group === 'key' || group === 'workspace' ? [`"group=${group}"`] : []),
    ...(times === 'none' ? [] : ['"times"']),
  ];
  if (unknown.length === 0) return;
  throw new HeadgateError(
    'invalid_request',
    `Sums of all accounts know no keys, workspaces and times: leave out ${unknown.join(', ')} or "all_accounts".`,
  );
}

async function readGroups(
  query: SeriesQuery,
  steps: TimeSteps,
  source: SeriesSource,
): Promise<Pick<Series, 'steps' | 'all' | 'groups' | 'others' | 'previous'>> {
  const range = rangeOf(steps);
  const { group: dimension, filters } = query;
  const groups =
    dimension === undefined ? [] : await source.totals({ range, filters, dimension }, mostGroups);
  const top = groups.slice(0, query.top).map(({ value }) => value);
  const rows = await source.steps({ range, filters, dimension }, stepOf(steps), top);
  const known = new Set(top);
  const told = top.map((value) =>
    folded(
      value,
      rows.filter((row) => row.value === value),
      steps,
    ),
  );
  const rest = rows.filter(({ value }) => !known.has(value));
  const others = groups.length - top.length;
  return {
    steps,
    all: folded(undefined, rows, steps),
    groups: others > 0 ? [...told, folded(undefined, rest, steps)] : told,
    others: Math.max(0, others),
    previous: await readPrevious(query, range, source),
  };
}

function rangeOf({ starts, end }: TimeSteps): UsageRange {
  return { from: starts[0] ?? end, to: end };
}

/** The coarsest cells that the steps of a chart consist of; cells begin no earlier than the first step. */
function cellStepOf({ bucket, starts }: TimeSteps): CellStep {
  if (bucket === 'all') return 'all';
  if (bucket === '1d') return 1440;
  return starts.slice(1).every((place) => place % 3_600_000 === 0) ? 60 : 15;
}

/** The longest step of the store that every step of a chart consists of. */
function stepOf({ starts, end }: TimeSteps): 15 | 60 | 1440 {
  const places = [...starts, end];
  if (places.every((place) => place % dayLength === 0)) return 1440;
  return places.every((place) => place % 3_600_000 === 0) ? 60 : 15;
}

async function readPrevious(
  { compare, filters }: SeriesQuery,
  { from, to }: UsageRange,
  source: SeriesSource,
): Promise<Series['previous']> {
  if (compare === undefined) return undefined;
  const shift = compare === 'week' ? 7 * dayLength : to - from;
  const range = { from: from - shift, to: to - shift };
  const [totals = noUsage] = await source.totals({ range, filters }, 1);
  return { range, totals };
}

/** Hits reached no endpoint and cannot fail. */
async function readHits(
  { starts, end }: TimeSteps,
  { provider, endpoint, errorType, failed, ...filters }: UsageFilters,
  store: CachedHitStore,
): Promise<Series['cachedHits']> {
  const excluded = [provider, endpoint, errorType, failed].some((filter) => filter !== undefined);
  if (excluded) return undefined;
  const steps: HitSums[] = starts.map(() => noHits);
  let all = noHits;
  for (const row of await store.steps(starts[0] ?? end, end, filters)) {
    const place = placeOf(starts, row.start);
    steps[place] = addHits(steps[place] ?? noHits, row);
    all = addHits(all, row);
  }
  return { all, steps };
}

async function readTimes(
  wanted: WantedTimes,
  steps: TimeSteps,
  filters: UsageFilters,
  usage: UsageStore,
): Promise<SeriesTimes | undefined> {
  if (wanted === 'none') return undefined;
  const { starts, end } = steps;
  const ranges = starts.map((from, index) => ({ from, to: starts[index + 1] ?? end }));
  const calls = await usage.times(ranges, filters, Math.max(20, Math.floor(mostTimes / ranges.length)));
  const byStep = ranges.map((): (typeof calls)[number][] => []);
  for (const call of calls) byStep[placeOf(starts, call.settledAt)]?.push(call);
  const totals = () => byStep.map((some) => some.flatMap((call) => totalTimeOf(call) ?? []));
  return {
    all: summarizeTimes(calls),
    steps: byStep.map(summarizeTimes),
    classes: wanted === 'classes' ? timeClasses(totals()) : undefined,
  };
}

/** The step that a moment lies in. */
function placeOf(starts: readonly number[], moment: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= moment) low = middle;
    else high = middle - 1;
  }
  return low;
}

function folded(value: string | undefined, rows: readonly UsageStep[], { starts }: TimeSteps): SeriesGroup {
  const series: UsageSums[] = starts.map(() => noUsage);
  let totals = noUsage;
  for (const row of rows) {
    const place = placeOf(starts, row.start);
    series[place] = addSums(series[place] ?? noUsage, row);
    totals = addSums(totals, row);
  }
  return { value, totals, series };
}

/** How long the steps of a chart are; `all` is one step. */
type Bucket = 'auto' | '15m' | '1h' | '1d' | 'all';

/** The steps that a range is divided into. Unix milliseconds. */
interface TimeSteps {
  readonly bucket: Exclude<Bucket, 'auto'>;
  /** Where each step begins, ascending; the first is the start of the range. */
  readonly starts: readonly number[];
  readonly end: number;
}

/** Steps that one answer has at most. */
const mostSteps = 400;

const quarter = 900_000;
const hour = 4 * quarter;
const day = 24 * hour;
const longestRange = 400 * day;

/**
 * Divides a range into steps of local time (docs/spec/dashboard.md#numbers). Its ends are moved outwards to quarters of
 * an hour; days are those of the zone, of 23 to 25 hours.
 * @throws HeadgateError `invalid_request` for an unknown zone, or a range that is empty or has too many steps.
 */
export function timeSteps(from: number, to: number, wanted: Bucket, zone: string): TimeSteps {
  const start = Math.floor(from / quarter) * quarter;
  const end = Math.ceil(to / quarter) * quarter;
  if (end <= start) throw new HeadgateError('invalid_request', '"to" must lie after "from".');
  if (end - start > longestRange) {
    throw new HeadgateError('invalid_request', 'A range may have 400 days at most.');
  }
  const bucket = wanted === 'auto' ? suited(end - start) : wanted;
  const offsetAt = offsetsOf(zone);
  const starts: number[] = [];
  for (let next = start; next < end; next = following(next, bucket, end, offsetAt)) {
    starts.push(next);
    if (starts.length > mostSteps) {
      throw new HeadgateError(
        'invalid_request',
        `The range has more than ${mostSteps} steps: choose longer ones.`,
      );
    }
  }
  return { bucket, starts, end };
}

function suited(length: number): Exclude<Bucket, 'auto'> {
  if (length <= day / 2) return '15m';
  return length <= 4 * day ? '1h' : '1d';
}

function following(moment: number, bucket: Exclude<Bucket, 'auto'>, end: number, offsetAt: OffsetAt): number {
  if (bucket === 'all') return end;
  if (bucket === '15m') return moment + quarter;
  const length = bucket === '1h' ? hour : day;
  const local = moment + offsetAt(moment);
  const next = (Math.floor(local / length) + 1) * length;
  const guess = next - offsetAt(moment);
  // Where clocks change in between, the offset of the other side holds.
  const settled = next - offsetAt(guess);
  return settled > moment ? settled : guess;
}

function offsetsOf(zone: string): OffsetAt {
  try {
    return zoneOffsets(zone);
  } catch (cause) {
    throw new HeadgateError('invalid_request', `"tz" is no time zone: ${zone.slice(0, 60)}.`, { cause });
  }
}
