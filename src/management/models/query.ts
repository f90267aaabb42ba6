import { blendedPrice } from '../../core/blended-price.ts';
import { modelCategories } from '../../core/listing.ts';
import { type PicoUsd, parsePricePerMillion } from '../../core/money.ts';
import type { Clock } from '../../ports/clock.ts';
import type { GenerationStore } from '../../ports/generations.ts';
import { malformed, quoteAll } from '../../schema/fault.ts';
import type { RawQuery } from '../../schema/read-query.ts';
import { unit, withUnit } from '../../schema/units.ts';
import { marksOf, type Static, type TSchema, type TUnsafe, text, word } from '../../util/json-schema.ts';
import { dayLength, utcDay } from '../../util/utc-windows.ts';
import { atLeastZero, queryWords, splitWords } from '../parts.ts';
import { type FactServices, type ModelFacts, modelFactsNow } from './listed-models.ts';
import { describeModel, type ListedModel, type ModelList } from './show.ts';

/** How old the sums may be, in milliseconds: reading them goes through all that was used in a week. */
const freshFor = 300_000;

/**
 * Which models were used how much in the last seven UTC days, today included; read at most every five minutes. Whole days,
 * for those are read from sums, and a part of one call by call.
 */
export class WeeklyPopularity {
  readonly #generations: Pick<GenerationStore, 'usage'>;
  readonly #clock: Clock;
  #tokens: Promise<Popularity> | undefined;
  #readAt = 0;

  constructor(generations: Pick<GenerationStore, 'usage'>, clock: Clock) {
    this.#generations = generations;
    this.#clock = clock;
  }

  read(): Promise<Popularity> {
    const now = this.#clock.now();
    if (this.#tokens !== undefined && now - this.#readAt < freshFor) return this.#tokens;
    const reading = this.#generations
      .usage((utcDay(now) - 6) * dayLength, 'model')
      .then((rows) => new Map(rows.map((row) => [row.group, row.inputTokens + row.outputTokens])));
    this.#tokens = reading;
    this.#readAt = now;
    reading.catch(() => {
      if (this.#tokens === reading) this.#tokens = undefined;
    });
    return reading;
  }
}

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
function sortsByPopularity(sort: string | undefined): boolean {
  return sort === 'most-popular' || sort === 'top-weekly';
}

/**
 * Puts rows in the order asked for; equal ones stay in the catalogue's order, and those without data come last.
 * @throws HeadgateError `invalid_request` for an order nobody knows.
 */
function sortModels(
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

/** How many models a page has, where one is asked for: usually and at most. */
export const usualModels = 500;
export const mostModels = 1000;

/** A query of filters, read. */
interface FilterQuery {
  readonly use_rss?: boolean;
  readonly [filter: string]: unknown;
}

interface ListQuery extends FilterQuery {
  readonly offset?: number;
  readonly limit?: number;
  readonly sort?: string;
}

/**
 * The rows that pass every filter of the query (docs/spec/catalogue.md#listings); those that write text where it does
 * not say.
 * @throws HeadgateError `invalid_request` where a feed is asked for.
 */
export function filterModels(
  rows: readonly ListedModel[],
  query: FilterQuery,
  facts: ModelFacts,
): readonly ListedModel[] {
  if (query.use_rss === true) throw malformed('use_rss', 'there is no feed here; leave it out to get JSON');
  const filters: Keep[] = [];
  for (const [name, { rule }] of Object.entries(queryFilters)) {
    if (query[name] !== undefined) filters.push(rule(query[name], facts));
  }
  return rows.filter((row) => filters.every((keep) => keep(row)));
}

type SelectServices = FactServices & { readonly popularity: Pick<WeeklyPopularity, 'read'> };

/**
 * A page of the rows a query asks for, in its order, or all where it asks for no page.
 * @param path Of the list, for the link to the next page.
 */
export async function listPage(
  rows: readonly ListedModel[],
  { query, rawQuery }: { readonly query: ListQuery; readonly rawQuery: RawQuery },
  path: string,
  services: SelectServices,
): Promise<Static<typeof ModelList>> {
  const facts = modelFactsNow(services);
  const { sort, offset = 0, limit = usualModels } = query;
  const tokens = sortsByPopularity(sort) ? await services.popularity.read() : new Map<string, number>();
  const found = sortModels(filterModels(rows, query, facts), sort, facts, tokens);
  const isPaged = query.offset !== undefined || query.limit !== undefined;
  const end = isPaged ? offset + limit : found.length;
  return {
    data: found.slice(offset, end).map((row) => describeModel(row, facts.now)),
    object: 'list',
    total_count: found.length,
    links: { next: end < found.length ? linkTo(path, rawQuery, end, limit) : null },
  };
}

function linkTo(path: string, rawQuery: RawQuery, offset: number, limit: number): string {
  const query = new URLSearchParams(Object.entries(rawQuery).map(([name, value]) => [name, String(value)]));
  query.set('offset', String(offset));
  query.set('limit', String(limit));
  return `${path}?${query}`;
}

/** Whether a row stays in the list. */
type Keep = (row: ListedModel) => boolean;

/** A parameter of the query, and the rule its value makes. */
interface ModelFilter {
  readonly schema: TSchema;
  readonly rule: (value: unknown, facts: ModelFacts) => Keep;
}

const modalities = ['text', 'image', 'file', 'audio', 'video'] as const;
const outputs = [
  'text',
  'image',
  'embeddings',
  'audio',
  'video',
  'rerank',
  'speech',
  'transcription',
] as const;
/** What operators call the two regions. */
const regions = {
  eu: ['eu', 'europe'],
  us: ['us', 'united-states'],
} as const;
const regionNames = Object.keys(regions) as readonly (keyof typeof regions)[];

const price = withUnit(
  unit('price', 'USD per million tokens, such as 0.25', parsePricePerMillion),
  atLeastZero,
);
const someOutputs = queryWords(outputs, text({ default: 'text' }));

/**
 * The filters of `GET /models` by parameter (docs/spec/catalogue.md#listings). Each list of words is separated by
 * commas.
 */
export const queryFilters: Readonly<Record<string, ModelFilter>> = {
  output_modalities: filter(orAll(someOutputs), (wanted) => ({ model }) => {
    return (
      wanted === 'all' || model.outputModalities.some((modality) => wanted.some((one) => one === modality))
    );
  }),
  input_modalities: filter(queryWords(modalities, text()), (wanted) => ({ model }) => {
    return wanted.every((modality) => model.inputModalities.some((own) => own === modality));
  }),
  supported_parameters: filter(text(), (listed) => {
    const wanted = splitWords(listed);
    return ({ parameters }) => wanted.every((parameter) => parameters.includes(parameter));
  }),
  category: filter(queryWords(modelCategories, word(modelCategories)), ([wanted]) => ({ model }) => {
    return model.listing?.categories?.some((own) => own === wanted) === true;
  }),
  q: filter(text(), (searchedFor) => {
    const words = searchedFor.toLowerCase().split(/\s+/).filter(Boolean);
    return ({ model, alias }) => {
      const searched = [alias, model.id, model.name, model.description].join('\n').toLowerCase();
      return words.every((one) => searched.includes(one));
    };
  }),
  context: filter(atLeastZero, (least) => ({ model, endpoints }) => {
    return (endpoints[0]?.contextLength ?? model.contextLength ?? 0) >= least;
  }),
  min_price: priceFilter('prompt', (amount, limit) => amount >= limit),
  max_price: priceFilter('prompt', (amount, limit) => amount <= limit),
  min_output_price: priceFilter('completion', (amount, limit) => amount >= limit),
  max_output_price: priceFilter('completion', (amount, limit) => amount <= limit),
  arch: filter(text(), (listed) => {
    const wanted = splitWords(listed.toLowerCase());
    return ({ model }) => wanted.includes((model.listing?.tokenizer ?? 'Other').toLowerCase());
  }),
  model_authors: filter(text(), (listed) => {
    const wanted = splitWords(listed.toLowerCase());
    return ({ model }) => wanted.includes(model.id.split('/')[0]?.toLowerCase() ?? '');
  }),
  providers: filter(text(), (listed) => {
    const wanted = splitWords(listed.toLowerCase());
    return ({ endpoints }) =>
      endpoints.some(
        ({ provider }) => wanted.includes(provider.slug) || wanted.includes(provider.name.toLowerCase()),
      );
  }),
  distillable: filter(queryWords(['true', 'false'], word(['true', 'false'])), ([wanted]) => ({ model }) => {
    return (model.distillable === true) === (wanted === 'true');
  }),
  zdr: filter(queryWords(['true'], word(['true'])), () => ({ endpoints }) => {
    return endpoints.some(({ provider }) => !provider.retainsPrompts);
  }),
  region: filter(queryWords(regionNames, word(regionNames)), ([wanted = 'eu']) => {
    const names: readonly string[] = regions[wanted];
    return ({ endpoints }) =>
      endpoints.some(({ dataRegion }) => names.includes(dataRegion?.toLowerCase() ?? ''));
  }),
  min_age_days: filter(atLeastZero, (days, { now }) => ({ model }) => {
    return model.created * 1000 <= now - days * dayLength;
  }),
  max_age_days: filter(atLeastZero, (days, { now }) => ({ model }) => {
    return model.created * 1000 >= now - days * dayLength;
  }),
  ...scoreFilters('intelligence_index', ({ model }) => model.listing?.benchmarks?.intelligence),
  ...scoreFilters('coding_index', ({ model }) => model.listing?.benchmarks?.coding),
  ...scoreFilters('agentic_index', ({ model }) => model.listing?.benchmarks?.agentic),
  ...scoreFilters('tool_success_rate', (row, facts) => facts.toolSuccessRate(row)),
};

function filter<Value>(schema: TUnsafe<Value>, rule: (value: Value, facts: ModelFacts) => Keep): ModelFilter {
  return { schema, rule: (value, facts) => rule(value as Value, facts) };
}

/** A list of words, or the word `all`. */
function orAll<Words>(schema: TUnsafe<Words>): TUnsafe<Words | 'all'> {
  const { unit: words } = marksOf(schema);
  const allowed = words?.allowed ?? '';
  return withUnit(
    unit('words', allowed, (given) => (given === 'all' ? 'all' : (words?.read(given) as Words))),
    schema,
  );
}

function scoreFilters(
  name: string,
  scoreOf: (row: ListedModel, facts: ModelFacts) => number | undefined,
): Record<string, ModelFilter> {
  return {
    [`min_${name}`]: filter(atLeastZero, (least, facts) => (row) => {
      return (scoreOf(row, facts) ?? Number.NEGATIVE_INFINITY) >= least;
    }),
    [`max_${name}`]: filter(atLeastZero, (most, facts) => (row) => {
      return (scoreOf(row, facts) ?? Number.POSITIVE_INFINITY) <= most;
    }),
  };
}

/** In USD per million tokens; a model without a price passes none. */
function priceFilter(
  kind: 'prompt' | 'completion',
  passes: (price: PicoUsd, limit: PicoUsd) => boolean,
): ModelFilter {
  return filter(price, (limit, facts) => (row) => {
    const stated = facts.price(row)?.[kind];
    return stated !== undefined && passes(stated, limit);
  });
}
