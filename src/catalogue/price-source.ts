import type { MatchLogic, ModelInfo, ModelPrice } from '@pydantic/genai-prices';
import type { Price, PriceOverride } from '../core/catalogue.ts';
import { type PicoUsd, parsePricePerMillion, parsePricePerUnit } from '../core/money.ts';

/** A model in the price package. */
export interface ListedModel {
  /** The name to send to the provider. */
  readonly upstreamModel: string;
  readonly name: string;
  readonly description: string;
  /** In tokens. */
  readonly contextLength?: number;
  /** Undefined when the package has no price that can be read exactly. */
  readonly price?: Price;
}

/** Models that no text request can call, and aggregators' own names of a variant. */
const notGenerating =
  /embed|tts|transcribe|realtime|audio|voxtral|whisper|moderation|image|live|voice|ocr|rerank|guard|omni-flash|\.ft-|:/i;

/**
 * The text models of one provider, from the maintained price package. The package is large, so it is loaded on first
 * use.
 * @param source The provider's name in the package.
 * @param now Unix milliseconds; decides which of the dated prices apply.
 */
export async function listPricedModels(source: string, now: number): Promise<readonly ListedModel[]> {
  const { findProvider } = await import('@pydantic/genai-prices');
  const provider = findProvider({ providerId: source });
  if (provider === undefined) return [];
  return provider.models
    .filter((model) => isGenerating(model))
    .map((model) => ({
      upstreamModel: callableName(model),
      name: model.name ?? model.id,
      description: model.description ?? '',
      contextLength: model.context_window,
      price: readPrices(model.prices, now),
    }));
}

function isGenerating(model: ModelInfo): boolean {
  if (model.deprecated === true || notGenerating.test(model.id)) return false;
  if (/^retired/i.test(model.description ?? '')) return false;
  const variants = Array.isArray(model.prices) ? model.prices.map(({ prices }) => prices) : [model.prices];
  return variants.some(
    ({ input_mtok, output_mtok }) => input_mtok !== undefined && output_mtok !== undefined,
  );
}

/**
 * The package names families of models; a name that matches the family's own rule is accepted by providers.
 */
function callableName(model: ModelInfo): string {
  const equal = equalNames(model.match);
  const full = equal.find((name) => name.startsWith('accounts/'));
  if (full !== undefined) return full;
  return accepts(model.match, model.id) ? model.id : (equal[0] ?? model.id);
}

function equalNames(rule: MatchLogic): readonly string[] {
  if ('equals' in rule) return [rule.equals];
  return 'or' in rule ? rule.or.flatMap(equalNames) : [];
}

function accepts(rule: MatchLogic, name: string): boolean {
  if ('or' in rule) return rule.or.some((part) => accepts(part, name));
  if ('and' in rule) return rule.and.every((part) => accepts(part, name));
  if ('equals' in rule) return rule.equals === name;
  if ('starts_with' in rule) return name.startsWith(rule.starts_with);
  if ('ends_with' in rule) return name.endsWith(rule.ends_with);
  if ('contains' in rule) return name.includes(rule.contains);
  return new RegExp(rule.regex).test(name);
}

type DatedPrices = Exclude<ModelInfo['prices'], ModelPrice>;

function readPrices(prices: ModelInfo['prices'], now: number): Price | undefined {
  try {
    return Array.isArray(prices) ? readDatedPrices(prices, now) : readPrice(prices);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readDatedPrices(entries: DatedPrices, now: number): Price | undefined {
  let price: Price | undefined;
  const overrides: PriceOverride[] = [];
  for (const { constraint, prices } of Array.isArray(entries) ? entries : []) {
    if (constraint?.type === 'time_of_date') {
      const window = { utcStart: hourMinute(constraint.start_time), utcEnd: hourMinute(constraint.end_time) };
      overrides.push({ ...readUnits(prices, base), ...window });
    } else if (constraint === undefined || Date.parse(constraint.start_date) <= now) {
      price = readPrice(prices);
    }
  }
  if (price === undefined || overrides.length === 0) return price;
  return Object.freeze({ ...price, overrides: Object.freeze([...(price.overrides ?? []), ...overrides]) });
}

function readPrice(prices: ModelPrice): Price | undefined {
  const { prompt, completion, ...others } = readUnits(prices, base);
  if (prompt === undefined || completion === undefined) return undefined;
  const overrides = tierStarts(prices).map((start) => ({
    minPromptTokens: start,
    ...readUnits(prices, (value) => tierPrice(value, start)),
  }));
  const price = { prompt, completion, ...others };
  return Object.freeze(overrides.length === 0 ? price : { ...price, overrides: Object.freeze(overrides) });
}

type PriceValue = ModelPrice[string];
type UnitName = keyof Omit<Price, 'overrides' | 'discountBasisPoints'>;

/** Names in the package, names here, and the conversion between them. */
const unitReaders: readonly (readonly [string, UnitName, (value: number) => PicoUsd])[] = [
  ['input_mtok', 'prompt', parsePricePerMillion],
  ['output_mtok', 'completion', parsePricePerMillion],
  ['output_reasoning_mtok', 'reasoning', parsePricePerMillion],
  ['cache_read_mtok', 'cacheRead', parsePricePerMillion],
  ['cache_write_mtok', 'cacheWrite', parsePricePerMillion],
  ['cache_write_1h_mtok', 'cacheWriteLong', parsePricePerMillion],
  ['input_audio_mtok', 'audioInput', parsePricePerMillion],
  ['cache_audio_read_mtok', 'audioCacheRead', parsePricePerMillion],
  ['output_audio_mtok', 'audioOutput', parsePricePerMillion],
  ['input_image_mtok', 'imageToken', parsePricePerMillion],
  ['output_image_mtok', 'imageOutputToken', parsePricePerMillion],
  ['requests_kcount', 'request', pricePerThousand],
  ['web_searches_kcount', 'webSearch', pricePerThousand],
];

function readUnits(prices: ModelPrice, pick: (value: PriceValue) => number | undefined): Partial<Price> {
  const units: Partial<Record<UnitName, PicoUsd>> = {};
  for (const [theirs, ours, read] of unitReaders) {
    const value = pick(prices[theirs]);
    if (value !== undefined) units[ours] = read(value);
  }
  return units;
}

function base(value: PriceValue): number | undefined {
  return typeof value === 'object' ? value.base : value;
}

function tierPrice(value: PriceValue, start: number): number | undefined {
  if (typeof value !== 'object') return undefined;
  return value.tiers.findLast((tier) => tier.start <= start)?.price;
}

function tierStarts(prices: ModelPrice): readonly number[] {
  const starts = Object.values(prices).flatMap((value) =>
    typeof value === 'object' ? value.tiers.map(({ start }) => start) : [],
  );
  return [...new Set(starts)].sort((left, right) => left - right);
}

function pricePerThousand(value: number): PicoUsd {
  const price = parsePricePerUnit(value);
  if (price % 1000n !== 0n) throw new RangeError('the price is too fine');
  return (price / 1000n) as PicoUsd;
}

/** `01:00:00Z` as `0100`. */
function hourMinute(time: string): string {
  return time.slice(0, 5).replace(':', '');
}
