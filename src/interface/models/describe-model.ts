import type { Endpoint, Model } from '../../core/catalogue.ts';
import type { ModelListing } from '../../core/listing.ts';
import type { Static } from '../../util/json-schema.ts';
import type { Architecture, ModelSchema } from '../schemas/catalogue.ts';
import { describePrice } from './describe-price.ts';

/** A model as lists show it; a latest alias shows what it stands for under its own slug. */
export interface ListedModel {
  readonly model: Model;
  /** Those the caller may know of, the one that stands for the model first. */
  readonly endpoints: readonly Endpoint[];
  /** Every parameter some endpoint takes. */
  readonly parameters: readonly string[];
  /** The name of an alias row. */
  readonly alias?: string;
  /** Whether the alias is of the newest model of a family, rather than a name the operator gave. */
  readonly isLatest?: boolean;
}

/**
 * One model as clients see it (docs/spec/catalogue.md#models); price and limits are those of its first endpoint in
 * service.
 * @param at Unix milliseconds; decides which prices hold.
 */
export function describeModel(
  { model, alias, isLatest, endpoints, parameters }: ListedModel,
  at: number,
): Static<typeof ModelSchema> {
  const lead = endpoints[0];
  const contextLength = lead?.contextLength ?? model.contextLength ?? null;
  const { listing = {} } = model;
  return {
    id: alias ?? model.id,
    // Libraries that read every list of models alike require these two, and `object` of the list.
    object: 'model',
    owned_by: model.id.split('/')[0] ?? '',
    canonical_slug: model.canonicalSlug,
    name: isLatest ? `${model.name} (latest)` : model.name,
    description: model.description,
    created: model.created,
    context_length: contextLength,
    architecture: describeArchitecture(model),
    pricing: describePrice(lead?.price, at),
    top_provider: {
      context_length: contextLength,
      max_completion_tokens: lead?.maxCompletionTokens ?? null,
      is_moderated: lead?.isModerated ?? false,
    },
    per_request_limits: null,
    supported_parameters: parameters,
    default_parameters: listing.defaultParameters ?? null,
    supported_voices: listing.supportedVoices ?? null,
    knowledge_cutoff: model.knowledgeCutoff ?? null,
    expiration_date: model.expirationDate ?? null,
    hugging_face_id: listing.huggingFaceId ?? null,
    ...(model.reasoning === undefined ? {} : { reasoning: describeReasoning(model.reasoning) }),
    ...describeBenchmarks(listing),
    ...(alias === undefined ? {} : { alias_target: { slug: model.id, name: model.name } }),
    links: { details: `/api/v1/models/${alias ?? model.id}/endpoints` },
  };
}

/** What a model reads and writes, and how it takes text apart. */
export function describeArchitecture({
  inputModalities,
  outputModalities,
  listing,
}: Model): Static<typeof Architecture> {
  return {
    modality: `${inputModalities.join('+')}->${outputModalities.join('+')}`,
    input_modalities: inputModalities,
    output_modalities: outputModalities,
    tokenizer: listing?.tokenizer ?? 'Other',
    instruct_type: listing?.instructType ?? null,
  };
}

function describeReasoning(reasoning: NonNullable<Model['reasoning']>) {
  const { mandatory, defaultEnabled, defaultEffort, supportedEfforts, supportsMaxTokens } = reasoning;
  return {
    mandatory,
    ...(defaultEnabled === undefined ? {} : { default_enabled: defaultEnabled }),
    ...(defaultEffort === undefined ? {} : { default_effort: defaultEffort }),
    supported_efforts: supportedEfforts ?? null,
    ...(supportsMaxTokens === undefined ? {} : { supports_max_tokens: supportsMaxTokens }),
  };
}

function describeBenchmarks({ benchmarks }: ModelListing) {
  if (benchmarks === undefined) return {};
  const { intelligence, coding, agentic, arenas = [] } = benchmarks;
  const scored = [intelligence, coding, agentic].some((score) => score !== undefined);
  const indices = {
    intelligence_index: intelligence ?? null,
    coding_index: coding ?? null,
    agentic_index: agentic ?? null,
  };
  return {
    benchmarks: {
      ...(scored ? { artificial_analysis: indices } : {}),
      design_arena: arenas.map(({ winRate, ...row }) => ({ ...row, win_rate: winRate })),
    },
  };
}
