import type { MatchLogic, ModelInfo, ModelPrice } from '@pydantic/genai-prices';
import type { Endpoint, Modality, Model, Price, PriceOverride, Provider } from '../core/catalogue.ts';
import type { Effort } from '../core/efforts.ts';
import { type PicoUsd, parsePricePerMillion, parsePricePerUnit } from '../core/money.ts';
import { isRegional, withFurtherPrices } from './further-prices.ts';
import type { ProviderRow } from './provider-row.ts';
import { findProviderRow } from './provider-rows.ts';

/** A model in the price package. */
interface ListedModel {
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
async function listPricedModels(source: string, now: number): Promise<readonly ListedModel[]> {
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

/**
 * The built-in models of the enabled providers, with an endpoint for each provider that serves one. Makers of models
 * come before hosts, so the maker's description of a model is used.
 * @param now Unix milliseconds; decides which dated prices apply.
 */
export async function createPricedModels(
  providers: readonly Provider[],
  now: number,
): Promise<readonly Model[]> {
  const models = new Map<string, Model>();
  const rows = providers
    .map((provider) => ({ provider, row: findProviderRow(provider.slug) }))
    .sort((left, right) => Number(left.row?.author === undefined) - Number(right.row?.author === undefined));
  for (const { provider, row } of rows) {
    if (row?.priceSource === undefined) continue;
    for (const listed of await listPricedModels(row.priceSource, now)) {
      if (row.notServed?.test(listed.upstreamModel) === true) continue;
      const model = createModel(provider, row, listed);
      models.set(model.id, addEndpoints(models.get(model.id), model));
    }
  }
  return [...models.values()];
}

function createModel(provider: Provider, row: ProviderRow, listed: ListedModel): Model {
  const name = listed.upstreamModel.replace(/^(accounts\/[^/]+\/(models|routers)|@[a-z]+)\//, '');
  const id = publicModelId(row, name);
  const { input, reasoning, maxCompletionTokens } = capabilitiesOf(id);
  const endpoint: Endpoint = Object.freeze({
    provider,
    upstreamModel: listed.upstreamModel,
    tag: provider.slug,
    tier: 'default',
    contextLength: listed.contextLength,
    maxCompletionTokens,
    price: listed.price && completePrice(listed.price, listed.upstreamModel, provider, row),
  });
  return Object.freeze({
    id,
    canonicalSlug: id,
    name: listed.name,
    description: listed.description,
    created: 0,
    contextLength: listed.contextLength,
    inputModalities: input,
    outputModalities: Object.freeze(['text'] as const),
    ...(reasoning === undefined ? {} : { reasoning }),
    endpoints: Object.freeze([endpoint]),
  });
}

function completePrice(price: Price, model: string, provider: Provider, row: ProviderRow): Price {
  return withFurtherPrices(price, model, row.furtherPrices ?? [], isRegional(provider));
}

function addEndpoints(known: Model | undefined, added: Model): Model {
  if (known === undefined) return added;
  const lengths = [known.contextLength, added.contextLength].filter((length) => length !== undefined);
  const served = new Set(known.endpoints.map(({ provider }) => provider.slug));
  const endpoints = added.endpoints.filter(({ provider }) => !served.has(provider.slug));
  return Object.freeze({
    ...known,
    contextLength: lengths.length === 0 ? undefined : Math.max(...lengths),
    endpoints: Object.freeze([...known.endpoints, ...endpoints]),
  });
}

/** Names of authors that hosts of open models write differently. */
const authorSpellings: Readonly<Record<string, string>> = {
  'deepseek-ai': 'deepseek',
  'zai-org': 'z-ai',
};

/** Model names that identify their author beyond doubt. */
const authorsByName: readonly (readonly [RegExp, string])[] = [
  [/^gpt-oss-/, 'openai'],
  [/^deepseek-(v\d|r\d)/, 'deepseek'],
  [/^kimi-/, 'moonshotai'],
  [/^gemini-/, 'google'],
  [/^claude-/, 'anthropic'],
];

/**
 * The public id of a provider's model. Two providers share an id, and so serve one model, only when their names have
 * the same author and name; otherwise the id stays in the provider's own namespace.
 */
function publicModelId(row: ProviderRow, name: string): string {
  const plain = name.toLowerCase();
  const slash = plain.indexOf('/');
  if (slash > 0) {
    const author = plain.slice(0, slash);
    return `${authorSpellings[author] ?? author}/${plain.slice(slash + 1).replaceAll('/', '-')}`;
  }
  const known = authorsByName.find(([pattern]) => pattern.test(plain))?.[1];
  return `${row.author ?? known ?? row.slug}/${plain}`;
}

/** What a family of models can do, according to its makers' documentation. */
interface Capabilities {
  readonly input: readonly Modality[];
  readonly reasoning?: NonNullable<Model['reasoning']>;
  /** In tokens. */
  readonly maxCompletionTokens?: number;
}

interface FamilyRow extends Partial<Capabilities> {
  readonly matches: RegExp;
}

const textOnly = ['text'] as const;
const documents = ['text', 'image', 'file'] as const;
const everything = ['text', 'image', 'file', 'audio', 'video'] as const;
const openEfforts: readonly Effort[] = ['high', 'medium', 'low'];
const reasons = { mandatory: false, supportsMaxTokens: true };
const decides = { mandatory: false, supportsMaxTokens: false };
const mustReason = { mandatory: true, supportedEfforts: openEfforts };

/**
 * Rules for facts that the price package lacks; each is matched against the public id, and later rows override single
 * members. Contains only what changes how requests are made, never prices.
 */
const families: readonly FamilyRow[] = [
  { matches: /^openai\/(gpt-4o|gpt-4\.1|gpt-4-turbo|chatgpt)/, input: documents },
  { matches: /^openai\/(gpt-[5-9]|o[1-9])/, input: documents, reasoning: { mandatory: false } },
  { matches: /^openai\/(o1-mini|o1-preview|o3-mini)/, input: textOnly },
  { matches: /^openai\/o[1-9]/, reasoning: mustReason },
  { matches: /^openai\/gpt-oss/, reasoning: mustReason },
  { matches: /^openai\/gpt-5(\.\d)?-chat/, reasoning: undefined },
  { matches: /^anthropic\/claude-/, input: documents, reasoning: reasons, maxCompletionTokens: 64_000 },
  { matches: /^anthropic\/claude-[a-z]+-([5-9]|4-[6-9])/, reasoning: decides, maxCompletionTokens: 128_000 },
  // Still accepts budgets, but an effort works better.
  { matches: /^anthropic\/claude-[a-z]+-4-6/, reasoning: { mandatory: false } },
  { matches: /^anthropic\/claude-(fable-|mythos-|opus-5-[5-9])/, reasoning: { ...decides, mandatory: true } },
  { matches: /^anthropic\/claude-opus-4-[01]/, maxCompletionTokens: 32_000 },
  { matches: /^anthropic\/claude-3-/, reasoning: undefined, maxCompletionTokens: 4096 },
  { matches: /^anthropic\/claude-3-5-/, maxCompletionTokens: 8192 },
  { matches: /^anthropic\/claude-3-7-/, reasoning: reasons, maxCompletionTokens: 64_000 },
  { matches: /^google\/gemini-/, input: everything },
  { matches: /^google\/gemini-(2\.5|[3-9])/, reasoning: reasons },
  { matches: /^google\/gemma-/, input: ['text', 'image'] },
  { matches: /^mistralai\/(pixtral|mistral-(small|medium|large)-)/, input: ['text', 'image'] },
  { matches: /^mistralai\/magistral/, reasoning: { mandatory: true } },
  { matches: /^deepseek\/deepseek-(reasoner|r1)/, reasoning: { mandatory: true } },
  { matches: /^deepseek\/deepseek-v/, reasoning: { mandatory: false } },
  { matches: /^x-ai\/grok-([4-9]|2-vision)/, input: ['text', 'image'] },
  { matches: /^x-ai\/grok-(3-mini|[4-9])/, reasoning: { mandatory: false } },
  { matches: /^x-ai\/.*non-reasoning/, reasoning: undefined },
  { matches: /llama-4|-vl-|vision/i, input: ['text', 'image'] },
  { matches: /^perplexity\/sonar/, input: ['text', 'image'] },
  { matches: /^perplexity\/sonar-(reasoning|deep)/, reasoning: { mandatory: true } },
];

/** The capabilities of a model by its public id; text input and no reasoning where no rule says otherwise. */
export function capabilitiesOf(id: string): Capabilities {
  const capabilities: Capabilities = { input: textOnly };
  for (const { matches, ...row } of families) {
    if (matches.test(id)) Object.assign(capabilities, row);
  }
  return capabilities;
}
