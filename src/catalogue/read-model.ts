import type { EndpointSettings, ModelSettings } from '../config/catalogue-schema.ts';
import type { Endpoint, Modality, Model, Provider } from '../core/catalogue.ts';
import { readPrice } from './read-price.ts';

const textOnly: readonly Modality[] = ['text'];

/**
 * A configured model, laid over the built-in one of the same id where there is one. Undefined when no
 * provider in service is left to serve it.
 */
export function mergeModel(
  settings: ModelSettings,
  known: Model | undefined,
  providers: ReadonlyMap<string, Provider>,
): Model | undefined {
  const endpoints =
    settings.endpoints?.flatMap((own) => readEndpoint(own, providers)) ?? known?.endpoints ?? [];
  if (endpoints.length === 0) return undefined;
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
    reasoning: settings.reasoning ? readReasoning(settings.reasoning) : known?.reasoning,
    knowledgeCutoff: settings.knowledge_cutoff ?? known?.knowledgeCutoff,
    endpoints: Object.freeze(endpoints),
  });
}

function readEndpoint(
  settings: EndpointSettings,
  providers: ReadonlyMap<string, Provider>,
): readonly Endpoint[] {
  const provider = providers.get(settings.provider);
  if (provider === undefined) return [];
  const { supported_parameters: parameters, prior } = settings;
  return [
    Object.freeze({
      provider,
      upstreamModel: settings.model,
      tag: settings.tag ?? provider.slug,
      tier: settings.tier,
      quantization: settings.quantization,
      contextLength: settings.context_length,
      maxCompletionTokens: settings.max_completion_tokens,
      supportedParameters: parameters && new Set(parameters),
      price: settings.price && readPrice(settings.price),
      prior: prior && Object.freeze({ ttftMs: prior.ttft_ms, tps: prior.tps }),
    }),
  ];
}

function readReasoning(settings: NonNullable<ModelSettings['reasoning']>): NonNullable<Model['reasoning']> {
  return Object.freeze({
    mandatory: settings.mandatory,
    supportedEfforts: settings.supported_efforts,
    supportsMaxTokens: settings.supports_max_tokens,
  });
}
