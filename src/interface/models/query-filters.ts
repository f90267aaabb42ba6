import { modelCategories } from '../../core/listing.ts';
import { type PicoUsd, parsePricePerMillion } from '../../core/money.ts';
import { unit, withUnit } from '../../schema/units.ts';
import { marksOf, type TSchema, type TUnsafe, text, word } from '../../util/json-schema.ts';
import { dayLength } from '../../util/utc-windows.ts';
import { atLeastZero, queryWords, splitWords } from '../rows/query-parts.ts';
import type { ListedModel } from './describe-model.ts';
import type { ModelFacts } from './model-facts.ts';

/** Whether a row stays in the list. */
export type Keep = (row: ListedModel) => boolean;

/** A parameter of the query, and the rule its value makes. */
export interface ModelFilter {
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
