import { nanoFromInteger } from '../../core/money.ts';
import type { CachedHitStore, HitSums } from '../../ports/cached-hits.ts';
import type {
  UsageDimension,
  UsageFilters,
  UsageRange,
  UsageStep,
  UsageStore,
  UsageSums,
} from '../../ports/usage.ts';
import { dayLength } from '../../util/utc-windows.ts';
import type { Actor } from '../actor.ts';
import { addHits, noHits } from '../reports/cached-hits-report.ts';
import type { Uses } from '../services.ts';
import { type CallTimesSummary, summarizeTimes } from './summarize-times.ts';
import { type Bucket, type TimeSteps, timeSteps } from './time-steps.ts';

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
  /** Whether times are wanted as well. */
  readonly times: boolean;
}

/** One line of a chart. */
export interface SeriesGroup {
  /** Undefined for all groups that are not among the top ones together. */
  readonly value: string | undefined;
  readonly totals: UsageSums;
  /** One for each step. */
  readonly series: readonly UsageSums[];
}

/** A chart. */
export interface Series {
  readonly steps: TimeSteps;
  readonly all: SeriesGroup;
  readonly groups: readonly SeriesGroup[];
  /** How many groups the last one stands for. */
  readonly others: number;
  /** The sums of the range that it is compared with. */
  readonly previous: { readonly range: UsageRange; readonly totals: UsageSums } | undefined;
  readonly times: { readonly all: CallTimesSummary; readonly steps: readonly CallTimesSummary[] } | undefined;
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

/** Sums of usage over time (docs/spec/dashboard.md#numbers). Refuses like `timeSteps`. */
export async function usageSeries(
  actor: Actor,
  query: SeriesQuery,
  { storage }: Uses<'usage' | 'cachedHits'>,
): Promise<Series> {
  const filters = visibleTo(actor, query.filters);
  const steps = timeSteps(query.from, query.to, query.bucket, query.zone);
  const range = { from: steps.starts[0] ?? query.from, to: steps.end };
  const { group: dimension } = query;
  const groups =
    dimension === undefined ? [] : await storage.usage.totals({ range, filters, dimension }, mostGroups);
  const top = groups.slice(0, query.top).map(({ value }) => value);
  const rows = await storage.usage.steps({ range, filters, dimension }, stepOf(steps), top);
  const all = folded(undefined, rows, steps);
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
    all,
    groups: others > 0 ? [...told, folded(undefined, rest, steps)] : told,
    others: Math.max(0, others),
    previous: await readPrevious(query, range, filters, storage.usage),
    cachedHits: await readHits(steps, filters, storage.cachedHits),
    times: query.times ? await readTimes(steps, filters, storage.usage) : undefined,
  };
}

/** The longest step of the store that every step of a chart consists of. */
function stepOf({ starts, end }: TimeSteps): 15 | 60 | 1440 {
  const places = [...starts, end];
  if (places.every((place) => place % dayLength === 0)) return 1440;
  return places.every((place) => place % 3_600_000 === 0) ? 60 : 15;
}

async function readPrevious(
  { compare }: SeriesQuery,
  { from, to }: UsageRange,
  filters: UsageFilters,
  usage: UsageStore,
): Promise<Series['previous']> {
  if (compare === undefined) return undefined;
  const shift = compare === 'week' ? 7 * dayLength : to - from;
  const range = { from: from - shift, to: to - shift };
  const [totals = nothing] = await usage.totals({ range, filters }, 1);
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
  steps: TimeSteps,
  filters: UsageFilters,
  usage: UsageStore,
): Promise<Series['times']> {
  const { starts, end } = steps;
  const ranges = starts.map((from, index) => ({ from, to: starts[index + 1] ?? end }));
  const calls = await usage.times(ranges, filters, Math.max(20, Math.floor(mostTimes / ranges.length)));
  const byStep = ranges.map((): (typeof calls)[number][] => []);
  for (const call of calls) byStep[placeOf(starts, call.settledAt)]?.push(call);
  return { all: summarizeTimes(calls), steps: byStep.map(summarizeTimes) };
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
  const series: UsageSums[] = starts.map(() => nothing);
  let totals = nothing;
  for (const row of rows) {
    const place = placeOf(starts, row.start);
    series[place] = added(series[place] ?? nothing, row);
    totals = added(totals, row);
  }
  return { value, totals, series };
}

const nobody = nanoFromInteger(0);

/** No calls. */
export const nothing: UsageSums = {
  requests: 0,
  failed: 0,
  cancelled: 0,
  fallbacks: 0,
  streamed: 0,
  own: 0,
  unpriced: 0,
  estimated: 0,
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  cost: nobody,
  listCost: nobody,
  byokCost: nobody,
};

function added(one: UsageSums, other: UsageSums): UsageSums {
  return {
    requests: one.requests + other.requests,
    failed: one.failed + other.failed,
    cancelled: one.cancelled + other.cancelled,
    fallbacks: one.fallbacks + other.fallbacks,
    streamed: one.streamed + other.streamed,
    own: one.own + other.own,
    unpriced: one.unpriced + other.unpriced,
    estimated: one.estimated + other.estimated,
    inputTokens: one.inputTokens + other.inputTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
    cost: nanoFromInteger(one.cost + other.cost),
    listCost: nanoFromInteger(one.listCost + other.listCost),
    byokCost: nanoFromInteger(one.byokCost + other.byokCost),
  };
}
