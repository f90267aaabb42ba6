import type { Endpoint, Modality, Model, Provider } from '../core/catalogue.ts';
import { camelCased } from '../util/camel-case.ts';
import type { EndpointSettings, ModelSettings } from './catalogue-schema.ts';
import { withDocumentedSearches } from './further-prices.ts';
import { findProviderRow } from './provider-rows.ts';
import { readModelListing } from './read-listing.ts';
import { readPrice } from './read-price.ts';

const textOnly: readonly Modality[] = ['text'];

/**
 * A configured model, merged over the built-in one of the same id if there is one. Undefined when no enabled provider
 * serves it, unless it is retired or has a retirement date.
 */
export function mergeModel(
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
