import { modelCategories } from '../../core/listing.ts';
import { type PicoUsd, parsePricePerMillion } from '../../core/money.ts';
import { malformed, quoteAll } from '../../schema/fault.ts';
import { dayLength } from '../../util/utc-windows.ts';
import type { ListedModel } from './describe-model.ts';
import type { ModelFacts } from './model-facts.ts';

/** Whether a row stays in the list. */
export type Keep = (row: ListedModel) => boolean;

/** Makes the rule of one parameter of the query from what was written. @throws HeadgateError `invalid_request`. */
export type ReadFilter = (text: string, name: string, facts: ModelFacts) => Keep;

const modalities = ['text', 'image', 'file', 'audio', 'video'];
const outputs = ['text', 'image', 'embeddings', 'audio', 'video', 'rerank', 'speech', 'transcription'];
/** What operators call the two regions. */
const regions: Readonly<Record<string, readonly string[]>> = {
  eu: ['eu', 'europe'],
  us: ['us', 'united-states'],
};

/** What `region` may ask for. */
export const regionNames: readonly string[] = Object.keys(regions);

/** The filters of `GET /models` by parameter (routing.md 1.5). Each list of words is separated by commas. */
export const queryFilters: Readonly<Record<string, ReadFilter>> = {
  output_modalities: (text, name) => {
    if (text === 'all') return () => true;
    const wanted = readWords(text, name, outputs);
    return ({ model }) => model.outputModalities.some((modality) => wanted.includes(modality));
  },
  input_modalities: (text, name) => {
    const wanted = readWords(text, name, modalities);
    return ({ model }) => wanted.every((modality) => model.inputModalities.some((own) => own === modality));
  },
  supported_parameters: (text) => {
    const wanted = split(text);
    return ({ parameters }) => wanted.every((parameter) => parameters.includes(parameter));
  },
  category: (text, name) => {
    const [wanted] = readWords(text, name, modelCategories);
    return ({ model }) => model.listing?.categories?.some((own) => own === wanted) === true;
  },
  q: (text) => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return ({ model, alias }) => {
      const searched = [alias, model.id, model.name, model.description].join('\n').toLowerCase();
      return words.every((word) => searched.includes(word));
    };
  },
  context: (text, name) => {
    const least = readNumber(text, name);
    return ({ model, endpoints }) => (endpoints[0]?.contextLength ?? model.contextLength ?? 0) >= least;
  },
  min_price: (text, name, facts) =>
    priceFilter(text, name, facts, 'prompt', (price, limit) => price >= limit),
  max_price: (text, name, facts) =>
    priceFilter(text, name, facts, 'prompt', (price, limit) => price <= limit),
  min_output_price: (text, name, facts) =>
    priceFilter(text, name, facts, 'completion', (price, limit) => price >= limit),
  max_output_price: (text, name, facts) =>
    priceFilter(text, name, facts, 'completion', (price, limit) => price <= limit),
  arch: (text) => {
    const wanted = split(text.toLowerCase());
    return ({ model }) => wanted.includes((model.listing?.tokenizer ?? 'Other').toLowerCase());
  },
  model_authors: (text) => {
    const wanted = split(text.toLowerCase());
    return ({ model }) => wanted.includes(model.id.split('/')[0]?.toLowerCase() ?? '');
  },
  providers: (text) => {
    const wanted = split(text.toLowerCase());
    return ({ endpoints }) =>
      endpoints.some(
        ({ provider }) => wanted.includes(provider.slug) || wanted.includes(provider.name.toLowerCase()),
      );
  },
  distillable: (text, name) => {
    const wanted = readWords(text, name, ['true', 'false'])[0] === 'true';
    return ({ model }) => (model.distillable === true) === wanted;
  },
  zdr: (text, name) => {
    readWords(text, name, ['true']);
    return ({ endpoints }) => endpoints.some(({ provider }) => !provider.retainsPrompts);
  },
  region: (text, name) => {
    const names = regions[readWords(text, name, regionNames)[0] ?? ''] ?? [];
    return ({ endpoints }) =>
      endpoints.some(({ dataRegion }) => names.includes(dataRegion?.toLowerCase() ?? ''));
  },
  min_age_days: (text, name, { now }) => {
    const latest = now - readNumber(text, name) * dayLength;
    return ({ model }) => model.created * 1000 <= latest;
  },
  max_age_days: (text, name, { now }) => {
    const earliest = now - readNumber(text, name) * dayLength;
    return ({ model }) => model.created * 1000 >= earliest;
  },
  ...scoreFilters('intelligence_index', ({ model }) => model.listing?.benchmarks?.intelligence),
  ...scoreFilters('coding_index', ({ model }) => model.listing?.benchmarks?.coding),
  ...scoreFilters('agentic_index', ({ model }) => model.listing?.benchmarks?.agentic),
  ...scoreFilters('tool_success_rate', (row, facts) => facts.toolSuccessRate(row)),
};

function scoreFilters(
  name: string,
  scoreOf: (row: ListedModel, facts: ModelFacts) => number | undefined,
): Record<string, ReadFilter> {
  return {
    [`min_${name}`]: (text, parameter, facts) => {
      const least = readNumber(text, parameter);
      return (row) => (scoreOf(row, facts) ?? Number.NEGATIVE_INFINITY) >= least;
    },
    [`max_${name}`]: (text, parameter, facts) => {
      const most = readNumber(text, parameter);
      return (row) => (scoreOf(row, facts) ?? Number.POSITIVE_INFINITY) <= most;
    },
  };
}

/** In USD per million tokens; a model without a price passes none. */
function priceFilter(
  text: string,
  name: string,
  facts: ModelFacts,
  unit: 'prompt' | 'completion',
  passes: (price: PicoUsd, limit: PicoUsd) => boolean,
): Keep {
  readNumber(text, name);
  const limit = readPrice(text, name);
  return (row) => {
    const price = facts.price(row)?.[unit];
    return price !== undefined && passes(price, limit);
  };
}

function readPrice(text: string, name: string): PicoUsd {
  try {
    return parsePricePerMillion(text);
  } catch (error) {
    if (error instanceof RangeError) throw malformed(name, 'expected USD per million tokens, such as 0.25');
    throw error;
  }
}

function readNumber(text: string, name: string): number {
  if (!/^\d{1,15}(\.\d{1,12})?$/.test(text)) throw malformed(name, 'expected a number, 0 or more');
  return Number(text);
}

function readWords(text: string, name: string, known: readonly string[]): readonly string[] {
  const words = split(text.toLowerCase());
  const odd = words.find((word) => !known.includes(word));
  if (odd === undefined && words.length > 0) return words;
  throw malformed(name, `expected ${known.length === 1 ? quoteAll(known) : `one of ${quoteAll(known)}`}`);
}

function split(text: string): readonly string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);
}
