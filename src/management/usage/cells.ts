import { nanoFromInteger } from '../../core/money.ts';
import {
  type CallTimes,
  type CellStep,
  otherGroups,
  type UsageCell,
  type UsageDimension,
  type UsageFilters,
  type UsageRange,
  type UsageStep,
  type UsageStore,
  type UsageSums,
} from '../../ports/usage.ts';
import type { AllAccountsUsage } from './all-accounts-usage.ts';

const nobody = nanoFromInteger(0);

/** No calls. */
export const noUsage: UsageSums = {
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

/** Two sums together. */
export function addSums(one: UsageSums, other: UsageSums): UsageSums {
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

/** What a series is made of: the sums of one account or of all. */
export type SeriesSource = Pick<UsageStore, 'totals' | 'steps'>;

/** What cells can be grouped by. */
const members: Readonly<Partial<Record<UsageDimension, (cell: UsageCell) => string>>> = {
  model: ({ model }) => model,
  provider: ({ provider }) => provider,
  endpoint: ({ endpoint }) => endpoint,
  error: ({ errorType }) => errorType,
};

/**
 * The sums of all accounts as those of one are read.
 * @param main The range of the series and the steps that it is read in; other ranges are one step.
 */
export function allAccountsSource(
  all: Pick<AllAccountsUsage, 'read'>,
  main: { readonly range: UsageRange; readonly step: CellStep },
): SeriesSource {
  const read = async (range: UsageRange, filters: UsageFilters) => {
    const isMain = range.from === main.range.from && range.to === main.range.to;
    const { cells } = await all.read(range, isMain ? main.step : 'all');
    return cells.filter((cell) => fits(cell, filters));
  };
  return {
    totals: async ({ range, filters, dimension }, limit) => {
      const value = groupOf(dimension);
      const cells = await read(range, filters);
      return addedUp(cells, (cell) => ({ value: value(cell), start: range.from }))
        .toSorted(byCost)
        .slice(0, limit);
    },
    steps: async ({ range, filters, dimension }, _step, values) => {
      const value = groupOf(dimension);
      const known = new Set(values);
      const cells = await read(range, filters);
      return addedUp(cells, (cell) => {
        const own = value(cell);
        return { value: known.has(own) ? own : otherGroups(values), start: cell.start };
      });
    },
  };
}

function groupOf(dimension: UsageDimension | undefined): (cell: UsageCell) => string {
  return (dimension && members[dimension]) ?? (() => '');
}

function fits(cell: UsageCell, { model, provider, endpoint, errorType, failed }: UsageFilters): boolean {
  if (model !== undefined && !fitsModel(cell.model, model)) return false;
  if (provider !== undefined && cell.provider !== provider) return false;
  if (endpoint !== undefined && cell.endpoint !== endpoint) return false;
  if (errorType !== undefined && cell.errorType !== errorType) return false;
  return failed === undefined || (cell.errorType !== '') === failed;
}

function fitsModel(model: string, wanted: string): boolean {
  return wanted.endsWith('*') ? model.startsWith(wanted.slice(0, -1)) : model === wanted;
}

/** Adds cells up that have a place in common. */
function addedUp(
  cells: readonly UsageCell[],
  placeOf: (cell: UsageCell) => Pick<UsageStep, 'value' | 'start'>,
): readonly UsageStep[] {
  const sums = new Map<string, UsageStep>();
  for (const cell of cells) {
    const place = placeOf(cell);
    const name = `${place.start} ${place.value}`;
    sums.set(name, { ...place, ...addSums(sums.get(name) ?? noUsage, cell) });
  }
  return [...sums.values()];
}

/** Most expensive first, as the store orders them. */
function byCost(one: UsageStep, other: UsageStep): number {
  if (one.cost !== other.cost) return one.cost > other.cost ? -1 : 1;
  if (one.requests !== other.requests) return other.requests - one.requests;
  return one.value < other.value ? -1 : 1;
}

/** Percentiles of a sample of calls; undefined without any. */
export interface CallTimesSummary {
  /** Calls in the sample that were answered. */
  readonly samples: number;
  /** Milliseconds. */
  readonly firstToken: Percentiles | undefined;
  readonly total: Percentiles | undefined;
  /** Output tokens a second. */
  readonly speed: Percentiles | undefined;
}

/** The value that half, and 95 of 100, do not exceed. */
interface Percentiles {
  readonly p50: number;
  readonly p95: number;
}

/** Output below it says nothing about speed. */
const fewTokens = 10;

/** How long some calls took. */
export function summarizeTimes(calls: readonly CallTimes[]): CallTimesSummary {
  const first: number[] = [];
  const total: number[] = [];
  const speed: number[] = [];
  for (const call of calls) {
    const { latency, generationTime, outputTokens } = call;
    if (latency === undefined) continue;
    first.push(latency);
    const whole = totalTimeOf(call);
    if (generationTime === undefined || whole === undefined) continue;
    total.push(whole);
    if (outputTokens >= fewTokens && generationTime > 0) speed.push((outputTokens * 1000) / generationTime);
  }
  return {
    samples: first.length,
    firstToken: percentiles(first),
    total: percentiles(total),
    speed: percentiles(speed),
  };
}

/** Milliseconds until the last token; undefined for a call that is not known to have been answered. */
export function totalTimeOf({ latency, generationTime }: CallTimes): number | undefined {
  return latency === undefined || generationTime === undefined ? undefined : latency + generationTime;
}

function percentiles(values: number[]): Percentiles | undefined {
  if (values.length === 0) return undefined;
  values.sort((one, other) => one - other);
  const at = (share: number) =>
    values[Math.min(values.length - 1, Math.ceil(share * values.length) - 1)] ?? 0;
  return { p50: Math.round(at(0.5)), p95: Math.round(at(0.95)) };
}

/** How many times lie in each class, step by step. */
export interface TimeClasses {
  /** Where each class begins, ascending, and where the last one ends; milliseconds. */
  readonly bounds: readonly number[];
  /** For each step, one count a class. */
  readonly counts: readonly (readonly number[])[];
}

/** Classes of one answer at most. */
export const mostClasses = 20;

/** Times that are longer are counted with these: 31,000 years. */
const longest = 1e15;

/** How a power of ten is divided, the finest first. */
const ladders = [[1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8], [1, 1.6, 2.5, 4, 6.3], [1, 2, 5], [1]].map(
  boundsOf,
);

/**
 * Sorts times into logarithmic classes, as fine as 20 of them allow (docs/spec/dashboard.md#charts).
 * @param steps The times of each step in milliseconds.
 * @returns Undefined without any time.
 */
export function timeClasses(steps: readonly (readonly number[])[]): TimeClasses | undefined {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const times of steps) {
    for (const time of times) {
      least = Math.min(least, time);
      most = Math.max(most, time);
    }
  }
  if (least === Number.POSITIVE_INFINITY) return undefined;
  const ladder = ladders.find((one) => placeOf(one, most) - placeOf(one, least) < mostClasses) ?? [];
  const [first, last] = [placeOf(ladder, least), placeOf(ladder, most)];
  const counts = steps.map((times) => {
    const found = Array.from({ length: last - first + 1 }, () => 0);
    for (const time of times) {
      const place = placeOf(ladder, time) - first;
      found[place] = (found[place] ?? 0) + 1;
    }
    return found;
  });
  return { bounds: ladder.slice(first, last + 2), counts };
}

/** Where classes begin, from zero on; what is shorter than the first rung is one class. */
function boundsOf(rungs: readonly number[]): readonly number[] {
  const bounds = [0];
  for (let decade = 1; decade <= longest; decade *= 10) {
    // Products such as 3.15 × 10 are not always exact.
    for (const rung of rungs) bounds.push(Number((rung * decade).toPrecision(4)));
  }
  return bounds;
}

/** The class that a time lies in; the last bound only ends a class. */
function placeOf(bounds: readonly number[], time: number): number {
  let [low, high] = [0, bounds.length - 2];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((bounds[middle] ?? 0) <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}
