import type {
  Catalogue,
  Endpoint,
  Modality,
  Model,
  ModelAlias,
  Price,
  PriceOverride,
  Provider,
} from '../core/catalogue.ts';
import type { PicoUsd } from '../core/money.ts';
import { camelCased } from '../util/camel-case.ts';
import type { Environment } from '../util/environment.ts';
import { buildProviders } from './build-providers.ts';
import { catalogueAt } from './catalogue-at.ts';
import type { EndpointSettings, ModelSettings, PriceSettings, ProviderSettings } from './catalogue-schema.ts';
import { withDocumentedSearches } from './further-prices.ts';
import { createPricedModels } from './priced-models.ts';
import { findProviderRow } from './provider-rows.ts';
import { readModelListing } from './read-listing.ts';
import { sandboxModels } from './sandbox-models.ts';

/** The parts of a catalogue. */
export interface CatalogueSource {
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  readonly models: readonly ModelSettings[];
  readonly catalog: 'builtin' | 'none';
  readonly environment: Environment;
  /** Unix milliseconds; decides which dated prices apply. */
  readonly now: number;
}

/**
 * The models and providers of one configuration, frozen. The built-in models of every enabled provider come first,
 * then the configured ones are merged over them by id: an entry's members override the built-in ones and its
 * endpoints replace them. Models and providers must have been checked before (see `checkReferences`). Endpoints of
 * disabled providers are left out, and so are models without any other endpoint.
 */
export async function buildCatalogue(source: CatalogueSource): Promise<Catalogue> {
  const served = source.models.flatMap(({ endpoints = [] }) => endpoints.map(({ provider }) => provider));
  const providers = buildProviders(source.providers, source.environment, new Set(served));
  const models = await builtInModels(source, providers);
  for (const settings of source.models) {
    const merged = mergeModel(settings, models.get(settings.id), providers);
    if (merged === undefined) models.delete(settings.id);
    else models.set(merged.id, merged);
  }
  return catalogueAt({ models, providers, aliases: legacyAliases(source.models) }, source.now);
}

/** The former ids of models, as a table (docs/spec/routing.md#slugs). */
function legacyAliases(models: readonly ModelSettings[]): ReadonlyMap<string, ModelAlias> {
  return new Map(
    models.flatMap(({ id, aliases = [] }) =>
      aliases.map((alias) => [alias.toLowerCase(), Object.freeze({ kind: 'legacy', target: id })] as const),
    ),
  );
}

async function builtInModels(
  { catalog, now, providers: settings }: CatalogueSource,
  providers: ReadonlyMap<string, Provider>,
): Promise<Map<string, Model>> {
  const models = new Map<string, Model>();
  const sandbox = providers.get('sandbox');
  if (sandbox !== undefined) {
    const price = settings.sandbox?.price;
    for (const model of sandboxModels(sandbox, price && readPrice(price))) models.set(model.id, model);
  }
  if (catalog === 'none') return models;
  for (const model of await createPricedModels([...providers.values()], now)) models.set(model.id, model);
  return models;
}

const textOnly: readonly Modality[] = ['text'];

/**
 * A configured model, merged over the built-in one of the same id if there is one. Undefined when no enabled provider
 * serves it, unless it is retired or has a retirement date.
 */
function mergeModel(
  settings: ModelSettings,
  known: Model | undefined,
  providers: ReadonlyMap<string, Provider>,
): Model | undefined {
  const endpoints =
    settings.endpoints?.flatMap((own) => readEndpoint(own, settings, providers)) ?? known?.endpoints ?? [];
  const mayBeRetired = settings.retired === true || settings.expiration_date !== undefined;
  if (endpoints.length === 0 && !mayBeRetired) return undefined;
  const lengths = endpoints.flatMap(({ contextLength }) =>
    contextLength === undefined ? [] : [contextLength],
  );
  const longest = lengths.length === 0 ? undefined : Math.max(...lengths);
  return Object.freeze({
    id: settings.id,
    canonicalSlug: settings.canonical_slug ?? known?.canonicalSlug ?? settings.id,
    name: settings.name ?? known?.name ?? settings.id,
    description: settings.description ?? known?.description ?? '',
    created: settings.created ?? known?.created ?? 0,
    family: settings.family ?? known?.family,
    contextLength:
      settings.context_length ?? (settings.endpoints ? longest : (known?.contextLength ?? longest)),
    inputModalities: Object.freeze(settings.input_modalities ?? known?.inputModalities ?? textOnly),
    outputModalities: Object.freeze(settings.output_modalities ?? known?.outputModalities ?? textOnly),
    ...readUndeclared(settings, known),
    reasoning: settings.reasoning ? readReasoning(settings.reasoning) : known?.reasoning,
    knowledgeCutoff: settings.knowledge_cutoff ?? known?.knowledgeCutoff,
    ...readStanding(settings, known),
    listing: readModelListing(settings, known?.listing),
    endpoints: Object.freeze(endpoints),
  });
}

/** Which kinds of content neither the file nor the built-in catalogue says anything of. */
function readUndeclared(
  { input_modalities: input, output_modalities: output }: ModelSettings,
  known: Model | undefined,
): Pick<Model, 'undeclared'> {
  const undeclared = {
    input: input === undefined && (known === undefined || known.undeclared?.input === true),
    output: output === undefined && (known === undefined || known.undeclared?.output === true),
  };
  return undeclared.input || undeclared.output ? { undeclared: Object.freeze(undeclared) } : {};
}

/** Who may see a model, how long it is served, and what replaces it. */
function readStanding(settings: ModelSettings, known: Model | undefined): Partial<Model> {
  return {
    accounts: settings.accounts && new Set(settings.accounts),
    distillable: settings.distillable ?? known?.distillable,
    fastSibling: settings.fast_sibling,
    expirationDate: settings.expiration_date ?? known?.expirationDate,
    successor: settings.successor ?? known?.successor,
    hidden: settings.hidden,
    ...(settings.retired === true ? { retired: Object.freeze({ successor: settings.successor }) } : {}),
  };
}

function readEndpoint(
  settings: EndpointSettings,
  model: Pick<ModelSettings, 'context_length'>,
  providers: ReadonlyMap<string, Provider>,
): readonly Endpoint[] {
  const provider = providers.get(settings.provider);
  if (provider === undefined) return [];
  const { supported_parameters: parameters, prior } = settings;
  const further = findProviderRow(provider.slug)?.furtherPrices;
  return [
    Object.freeze({
      provider,
      upstreamModel: settings.model,
      tag: settings.tag ?? tagOf(provider, settings.tier),
      tier: settings.tier,
      quantization: settings.quantization,
      contextLength: settings.context_length ?? model.context_length,
      maxCompletionTokens: settings.max_completion_tokens,
      maxPromptTokens: settings.max_prompt_tokens,
      supportedParameters: parameters && new Set(parameters),
      price: settings.price && withDocumentedSearches(readPrice(settings.price), settings.model, further),
      ...(settings.limits !== undefined && { limits: camelCased(settings.limits) }),
      hedgeAfter: settings.hedge_after_ms,
      prior: prior && Object.freeze({ ttftMs: prior.ttft_ms, tps: prior.tps }),
      status: settings.status,
      accounts: settings.accounts && new Set(settings.accounts),
      dataRegion: settings.data_region,
      isModerated: settings.is_moderated,
      cachesImplicitly: settings.implicit_caching,
      freeLimitExempt: settings.free_limit_exempt,
    }),
  ];
}

/**
 * Without the tier in the tag, the slug alone would also name the endpoint of a tier (docs/spec/catalogue.md#tags,
 * docs/spec/routing.md#provider-names).
 */
function tagOf({ slug }: Provider, tier: Endpoint['tier']): string {
  return tier === 'default' ? slug : `${slug}/${tier}`;
}

function readReasoning(settings: NonNullable<ModelSettings['reasoning']>): NonNullable<Model['reasoning']> {
  return Object.freeze({
    mandatory: settings.mandatory,
    defaultEnabled: settings.default_enabled,
    defaultEffort: settings.default_effort,
    supportedEfforts: settings.supported_efforts,
    supportsMaxTokens: settings.supports_max_tokens,
  });
}

type Prices = Omit<PriceOverride, 'minPromptTokens' | 'utcStart' | 'utcEnd'>;
type OverrideSettings = NonNullable<PriceSettings['overrides']>[number];

const wholeBasis = 10_000;

/**
 * Reads a price of the file in internal units. Applies a discount once, here, so that shown, compared and charged
 * prices agree (docs/spec/catalogue.md#prices: on inference, not on searches).
 */
export function readPrice(settings: PriceSettings): Price {
  const off = Math.round((settings.discount ?? 0) * wholeBasis);
  const { prompt, completion, ...others } = discounted(readUnits(settings), off);
  return Object.freeze({
    // Required by the schema, but not in an override.
    prompt: prompt ?? settings.input,
    completion: completion ?? settings.output,
    ...others,
    ...(settings.overrides === undefined
      ? {}
      : { overrides: Object.freeze(settings.overrides.map((entry) => readOverride(entry, off))) }),
    ...(off === 0 ? {} : { discountBasisPoints: off }),
  });
}

function readOverride(settings: OverrideSettings, off: number): PriceOverride {
  return Object.freeze({
    ...discounted(readUnits(settings), off),
    ...present({
      minPromptTokens: settings.min_prompt_tokens,
      utcStart: settings.utc_start,
      utcEnd: settings.utc_end,
    }),
  });
}

function readUnits(settings: Partial<PriceSettings>): Prices {
  return present({
    prompt: settings.input,
    completion: settings.output,
    reasoning: settings.reasoning,
    cacheRead: settings.cache_read,
    cacheWrite: settings.cache_write,
    cacheWriteLong: settings.cache_write_1h,
    audioInput: settings.audio_input,
    audioCacheRead: settings.audio_cache_read,
    audioOutput: settings.audio_output,
    imageToken: settings.image_token,
    imageOutputToken: settings.image_output_token,
    request: settings.request,
    image: settings.image,
    imageOutput: settings.image_output,
    webSearch: settings.web_search,
  });
}

function discounted({ webSearch, ...inference }: Prices, off: number): Prices {
  const units = Object.entries(inference).map(([name, price]) => [name, takeOff(price, off)] as const);
  return { ...Object.fromEntries(units), ...present({ webSearch }) };
}

/** Rounded half up to a pico-USD. */
function takeOff(price: PicoUsd, off: number): PicoUsd {
  if (off === 0) return price;
  return ((price * BigInt(wholeBasis - off) + BigInt(wholeBasis / 2)) / BigInt(wholeBasis)) as PicoUsd;
}

function present<T extends object>(members: T): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}
