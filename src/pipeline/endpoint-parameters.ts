import type { Endpoint, Model } from '../core/catalogue.ts';
import type { Feature } from '../core/features.ts';
import type { UpstreamRegistry } from '../ports/upstream.ts';
import { endpointSupport } from '../routing/collect-endpoints.ts';
import { isServed, parametersTaken } from '../translation/effective-support.ts';

const none: ReadonlySet<string> = new Set();

/**
 * The names of docs/spec/routing.md#parameters that an endpoint takes; none when nothing is installed that could ask
 * it.
 */
export function endpointParameters(
  endpoint: Endpoint,
  { reasoning }: Model,
  upstreams: UpstreamRegistry,
): ReadonlySet<string> {
  const support = endpointSupport(endpoint, upstreams);
  if (support === undefined) return endpoint.supportedParameters ?? none;
  return parametersTaken(endpoint, support, reasoning !== undefined);
}

/** Which values of `tool_choice` an endpoint serves, possibly through the gateway's translation. */
export interface ToolChoices {
  readonly none: boolean;
  readonly auto: boolean;
  readonly required: boolean;
  /** One named function. */
  readonly function: boolean;
}

/** All false for an endpoint without functions, or when nothing is installed that could call it. */
export function toolChoicesOf(endpoint: Endpoint, upstreams: UpstreamRegistry): ToolChoices {
  const support = endpointSupport(endpoint, upstreams);
  const serves = (feature: Feature) => support !== undefined && isServed(feature, support, endpoint);
  const auto = serves('tool.function');
  return {
    none: auto && serves('tool_choice.none'),
    auto,
    required: auto && serves('tool_choice.required'),
    function: auto && serves('tool_choice.named'),
  };
}

/** Whether the provider of an endpoint searches the web itself where it is asked to. */
export function searchesItself(endpoint: Endpoint, upstreams: UpstreamRegistry): boolean {
  const support = endpointSupport(endpoint, upstreams);
  return support !== undefined && isServed('tool.web_search', support, endpoint);
}
