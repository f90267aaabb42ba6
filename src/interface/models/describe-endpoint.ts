import type { Endpoint, Model } from '../../core/catalogue.ts';
import type { EndpointCondition } from '../../pipeline/endpoint-condition.ts';
import type { EndpointFigures } from '../../pipeline/endpoint-figures.ts';
import type { ToolChoices } from '../../pipeline/endpoint-parameters.ts';
import type { Static } from '../../util/json-schema.ts';
import type { EndpointSchema } from '../schemas/catalogue.ts';
import { describePrice } from './describe-price.ts';

const statusNumbers = { normal: 0, degraded: -1, down: -2, rate_limited: -3, deprecated: -5 } as const;

/** What a list of endpoints shows of one. */
export interface EndpointView {
  readonly figures: EndpointFigures;
  readonly parameters: ReadonlySet<string>;
  readonly toolChoices: ToolChoices;
  /** Whether the provider searches the web itself. */
  readonly searches: boolean;
  /** Percentiles are for callers with a key (docs/spec/catalogue.md#endpoints). */
  readonly showsPercentiles: boolean;
  readonly condition: EndpointCondition;
  /** Unix milliseconds; decides which prices hold. */
  readonly at: number;
}

/** One endpoint as clients see it (docs/spec/catalogue.md#endpoints). */
export function describeEndpoint(
  endpoint: Endpoint,
  model: Model,
  { figures, parameters, toolChoices, searches, showsPercentiles, condition, at }: EndpointView,
): Static<typeof EndpointSchema> {
  const { provider, contextLength = model.contextLength ?? 0 } = endpoint;
  return {
    name: `${provider.name} | ${model.canonicalSlug}`,
    model_id: model.canonicalSlug,
    model_name: model.name,
    provider_name: provider.name,
    tag: endpoint.tag,
    context_length: contextLength,
    max_completion_tokens: endpoint.maxCompletionTokens ?? null,
    max_prompt_tokens: endpoint.maxPromptTokens ?? null,
    quantization: endpoint.quantization ?? null,
    pricing: describePrice(endpoint.price, at),
    supported_parameters: [...parameters].toSorted(),
    supports_tool_choice: toolChoices,
    supports_implicit_caching: endpoint.cachesImplicitly ?? false,
    supports_voice_cloning: false,
    supports_diarization: false,
    native_tools: searches ? { 'service:web_search': { type: 'web_search' } } : {},
    service_tier: null,
    status: statusNumbers[endpoint.status === 'deprecated' ? 'deprecated' : condition],
    uptime_last_5m: figures.uptime_last_5m,
    uptime_last_30m: figures.uptime_last_30m,
    uptime_last_1d: figures.uptime_last_1d,
    latency_last_30m: showsPercentiles ? figures.latency_last_30m : null,
    throughput_last_30m: showsPercentiles ? figures.throughput_last_30m : null,
  };
}
