import { blendedPrice } from '../../core/blended-price.ts';
import { malformed, quoteAll } from '../../schema/fault.ts';
import type { ListedModel } from './describe-model.ts';
import type { ModelFacts } from './model-facts.ts';

/** What decides the place of a row; undefined places it last. */
type Measure = (row: ListedModel, facts: ModelFacts, tokens: Popularity) => number | undefined;

/** Tokens of a week by model id. */
export type Popularity = ReadonlyMap<string, number>;

const popularity: Measure = ({ model }, _facts, tokens) => tokens.get(model.id);

/** The sorts of `GET /models` (docs/spec/catalogue.md#listings): whether up or down, and by what. */
const sorts: Readonly<Record<string, readonly ['up' | 'down', Measure]>> = {
  'most-popular': ['down', popularity],
  'top-weekly': ['down', popularity],
  newest: ['down', ({ model }) => model.created],
  'pricing-low-to-high': ['up', comparedPrice],
  'pricing-high-to-low': ['down', comparedPrice],
  'context-high-to-low': [
    'down',
    ({ model, endpoints }) => endpoints[0]?.contextLength ?? model.contextLength,
  ],
  'throughput-high-to-low': ['down', (row, facts) => facts.throughput(row)],
  'latency-low-to-high': ['up', (row, facts) => facts.latency(row)],
  'intelligence-high-to-low': ['down', ({ model }) => model.listing?.benchmarks?.intelligence],
  'coding-high-to-low': ['down', ({ model }) => model.listing?.benchmarks?.coding],
  'agentic-high-to-low': ['down', ({ model }) => model.listing?.benchmarks?.agentic],
  'design-arena-elo-high-to-low': ['down', bestElo],
};

/** The names of the sorts. */
export const sortNames: readonly string[] = Object.keys(sorts);

/** Whether a sort needs the tokens of the week. */
export function sortsByPopularity(sort: string | undefined): boolean {
  return sort === 'most-popular' || sort === 'top-weekly';
}

/**
 * Puts rows in the order asked for; equal ones stay in the catalogue's order, and those without data come last.
 * @throws HeadgateError `invalid_request` for an order nobody knows.
 */
export function sortModels(
  rows: readonly ListedModel[],
  sort: string | undefined,
  facts: ModelFacts,
  tokens: Popularity,
): readonly ListedModel[] {
  if (sort === undefined) return rows;
  const known = Object.hasOwn(sorts, sort) ? sorts[sort] : undefined;
  if (known === undefined) throw malformed('sort', `expected one of ${quoteAll(Object.keys(sorts))}`);
  const [direction, measure] = known;
  const sign = direction === 'up' ? 1 : -1;
  const measured = rows.map((row) => {
    const value = measure(row, facts, tokens);
    return { row, value: value === undefined ? Number.POSITIVE_INFINITY : sign * value };
  });
  // Two that have no data are equal; their difference would be no number.
  measured.sort((left, right) => (left.value === right.value ? 0 : left.value - right.value));
  return measured.map(({ row }) => row);
}

function comparedPrice(row: ListedModel, facts: ModelFacts): number | undefined {
  const price = facts.price(row);
  return price && blendedPrice(price);
}

function bestElo({ model }: ListedModel): number | undefined {
  const ratings = model.listing?.benchmarks?.arenas?.map(({ elo }) => elo) ?? [];
  return ratings.length === 0 ? undefined : Math.max(...ratings);
}
