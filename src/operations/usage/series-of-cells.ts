import {
  type CellStep,
  otherGroups,
  type UsageCell,
  type UsageDimension,
  type UsageFilters,
  type UsageRange,
  type UsageStep,
  type UsageStore,
} from '../../ports/usage.ts';
import { addSums, noUsage } from './add-sums.ts';
import type { AllAccountsUsage } from './all-accounts-usage.ts';

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
