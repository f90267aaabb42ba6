import type { Endpoint } from '../core/catalogue.ts';
import type { Feature, FeatureSupport, Support } from '../core/features.ts';
import { bySamplerFeature, samplers, takesParameter } from '../core/parameters.ts';

/** Why a parameter is left out of a call. */
export const unsupported = 'the endpoint does not take it';

const leftOut = { dropped: unsupported } as const;
const filtered = { emulated: 'filtered' } as const;
const instructed = { emulated: 'instructed' } as const;

/**
 * Features that are sent as a parameter which an endpoint may not support (docs/spec/routing.md#parameters), and the
 * alternative.
 */
const parameters: Partial<Record<Feature, readonly [parameter: string, otherwise: Support]>> = {
  'tool.function': ['tools', leftOut],
  'text.json_schema': ['structured_outputs', instructed],
  'text.json_object': ['response_format', instructed],
  'text.verbosity': ['verbosity', leftOut],
  'reasoning.effort': ['reasoning', leftOut],
  'reasoning.max_tokens': ['reasoning', leftOut],
  'reasoning.summary': ['reasoning', leftOut],
  'reasoning.context': ['reasoning', leftOut],
  'reasoning.mode': ['reasoning', 'refused'],
  'tool_choice.none': ['tool_choice', filtered],
  'tool_choice.required': ['tool_choice', leftOut],
  'tool_choice.named': ['tool_choice', leftOut],
  'tool_choice.allowed': ['tool_choice', filtered],
  parallel_tool_calls: ['parallel_tool_calls', filtered],
  ...oneParameterSamplers(),
};

/** Features of samplers that are one parameter; where they are several, one of them may be left out alone. */
function oneParameterSamplers(): typeof parameters {
  const samplerNames = Object.entries(bySamplerFeature((names) => names));
  return Object.fromEntries(
    samplerNames.flatMap(([feature, [name = '', ...more]]) =>
      more.length > 0 ? [] : [[feature, [name, leftOut] as const]],
    ),
  );
}

/** Whether a feature reaches the provider, possibly emulated. */
export function reaches(support: Support): boolean {
  return support === 'native' || (support !== 'refused' && 'adapted' in support);
}

/** Whether a request with a feature gets what it asks for: it reaches the provider, or is emulated. */
export function isServed(feature: Feature, support: FeatureSupport, endpoint: Endpoint): boolean {
  const effective = effectiveSupport(feature, support, endpoint);
  return (
    reaches(effective) ||
    (effective !== 'refused' && typeof effective === 'object' && 'emulated' in effective)
  );
}

/** How an endpoint handles a feature: like its dialect, unless it does not support the parameter. */
export function effectiveSupport(feature: Feature, support: FeatureSupport, endpoint: Endpoint): Support {
  const stated = support[feature];
  if (!reaches(stated)) return stated;
  const parameter = parameters[feature];
  if (parameter === undefined || takesParameter(endpoint, parameter[0])) return stated;
  return parameter[1];
}

/**
 * The names of docs/spec/routing.md#parameters that an endpoint supports: those it declares, else those its dialect can
 * express.
 * @param reasons Whether the model reasons at all.
 */
export function parametersTaken(
  { supportedParameters: declared }: Endpoint,
  support: FeatureSupport,
  reasons: boolean,
): ReadonlySet<string> {
  if (declared !== undefined) return declared;
  const names = new Set(['max_tokens']);
  for (const [feature, [parameter]] of Object.entries(parameters)) {
    const applies = parameter !== 'reasoning' || reasons;
    if (applies && reaches(support[feature as Feature])) names.add(parameter);
  }
  for (const { name, feature } of samplers) if (reaches(support[feature])) names.add(name);
  if (names.has('reasoning')) names.add('include_reasoning');
  if (names.has('top_logprobs')) names.add('logprobs');
  return names;
}
