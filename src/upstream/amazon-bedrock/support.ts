import type { Provider } from '../../core/catalogue.ts';
import type { FeatureSupport, RequestTest, Support } from '../../core/features.ts';
import type { Effort } from '../../core/request.ts';
import { breakpointsOf, prolongsPrefixes } from '../breakpoints.ts';
import { claudeTraits } from '../claude-model.ts';
import {
  blankStops,
  chosenUnlessReasoning,
  claudeReasoning,
  samplersOf,
  strictWhereDeclared,
} from '../claude-support.ts';
import { oneFormOfThoughts } from '../one-form-of-thoughts.ts';
import { cachingFamilies, mostCachePoints } from './cache-points.ts';
import { effortLevels, excludesLimit } from './encode-reasoning.ts';
import { topKs } from './encode-request.ts';
import { familyOf, type ModelFamily } from './model-family.ts';

const noSetting = { dropped: 'the provider has no such setting' } as const;

/** What is the same for every model of the dialect. */
const everywhere = {
  'input.image.url': 'refused',
  'input.image.data': 'native',
  'input.image.file': 'refused',
  'input.file.data': 'native',
  'input.file.url': 'refused',
  'input.file.id': 'refused',
  'input.audio': 'native',
  'input.video.data': 'native',
  'input.video.url': 'refused',
  'input.message.media': { emulated: 'moved' },
  'input.tool_output.media': 'native',
  'item.phase': { dropped: 'the provider does not tell remarks from answers' },
  'item.reasoning.sealed': 'native',
  'item.additional_tools': { emulated: 'merged' },
  'item.agent_message': { emulated: 'as-message' },
  'item.configuration_update': { emulated: 'merged' },
  'item.compaction': { dropped: 'only its maker can read it' },
  'item.hosted': { emulated: 'as-call-pair' },
  'item.service': { emulated: 'as-call-pair' },
  'tool.function': 'native',
  'tool.function.strict': strictWhereDeclared,
  'tool.function.async': { dropped: 'the provider waits for every output' },
  'tool.namespace': { emulated: 'flattened' },
  'tool.custom': { emulated: 'as-function' },
  'tool.custom.grammar': { emulated: 'described' },
  'tool.web_search': 'refused',
  'tool.file_search': 'refused',
  'tool.computer': 'refused',
  'tool.code_interpreter': 'refused',
  'tool.mcp': 'refused',
  'tool.image_generation': 'refused',
  'tool.local_shell': { emulated: 'as-function' },
  'tool.shell': { emulated: 'as-function' },
  'tool.apply_patch': { emulated: 'as-function' },
  'tool_choice.none': { emulated: 'filtered' },
  'tool_choice.required': chosenUnlessReasoning,
  'tool_choice.named': chosenUnlessReasoning,
  'tool_choice.allowed': { emulated: 'filtered' },
  parallel_tool_calls: { emulated: 'filtered' },
  'text.json_object': { emulated: 'instructed' },
  'text.verbosity': noSetting,
  'reasoning.summary': oneFormOfThoughts,
  'reasoning.context': noSetting,
  'reasoning.mode': 'refused',
  'sampling.penalties': noSetting,
  'sampling.repetition_penalty': noSetting,
  'sampling.min_p': noSetting,
  'sampling.top_a': noSetting,
  'sampling.seed': noSetting,
  'sampling.stop': blankStops,
  'sampling.logit_bias': noSetting,
  'sampling.logprobs': noSetting,
  'modalities.image': { adapted: 'models that draw decide for themselves' },
  image_config: noSetting,
  service_tier: {
    adapted: '`auto` is left to the provider; `scale` is not known',
    when: ({ serviceTier }) => serviceTier === 'scale',
  },
  prompt_cache_key: { dropped: 'the provider finds prefixes by what they say' },
  prompt_cache_options: { dropped: 'the provider caches only at cache points anyway' },
  'truncation.auto': { emulated: 'shortened' },
  prompt: 'refused',
  end_user: noSetting,
} as const satisfies Partial<FeatureSupport>;

/** Makers whose models here can be held to a schema; Claude depends on its version. */
const heldToSchemas =
  /gpt-oss|qwen|deepseek\.v|gemma|minimax|moonshot|nvidia|mistral\.(mag|min)istral|mistral-large-3/i;

/**
 * How the Converse dialect deals with what requests may ask for. Quirk: `structuredOutput`, which is `native`,
 * `forced-tool` or `instructed` and wins over what is known of the model.
 * @param upstreamModel without it, the answer is for the models that can do most.
 */
export function supportOf({ quirks }: Provider, upstreamModel: string | undefined): FeatureSupport {
  const family = upstreamModel === undefined ? 'claude' : familyOf(upstreamModel);
  return {
    seals: ['anthropic-claude-v1', 'unknown'],
    ...everywhere,
    'text.json_schema': schemaSupport(quirks.structuredOutput, upstreamModel, family),
    ...reasoningSupport(family),
    ...samplersOf(upstreamModel),
    ...(topKs[family] === undefined && upstreamModel !== undefined ? { 'sampling.top_k': noSetting } : {}),
    cache_control: cachingFamilies.has(family) ? cachePointSupport(upstreamModel) : noSetting,
  };
}

function reasoningSupport(
  family: ModelFamily,
): Pick<FeatureSupport, 'reasoning.effort' | 'reasoning.max_tokens'> {
  if (family === 'claude') return claudeReasoning;
  const levels: readonly Effort[] | undefined =
    family === 'nova-2' || family === 'gpt-oss' ? effortLevels[family] : undefined;
  if (levels === undefined) return { 'reasoning.effort': noSetting, 'reasoning.max_tokens': noSetting };
  return {
    'reasoning.effort': {
      adapted: `the nearest of ${levels.join(', ')}`,
      when: ({ reasoning, maxOutputTokens }) =>
        reasoning?.effort !== undefined &&
        (!levels.includes(reasoning.effort) ||
          (family === 'nova-2' && excludesLimit(reasoning.effort, maxOutputTokens))),
    },
    'reasoning.max_tokens': { adapted: 'as the nearest effort' },
  };
}

function cachePointSupport(upstreamModel = 'claude-sonnet-4-5'): Support {
  const long = claudeTraits(upstreamModel)?.longCache === true;
  const differs: RequestTest = (request) => {
    const points = breakpointsOf(request);
    if (points.length > mostCachePoints) return true;
    return long ? prolongsPrefixes(request) : points.some(({ ttl }) => ttl === '1h');
  };
  return {
    adapted:
      'cache points, of which the last four count; an hour where the model knows it, then also for what comes before',
    when: differs,
  };
}

function schemaSupport(stated: unknown, model: string | undefined, family: ModelFamily): Support {
  if (stated === 'forced-tool' || stated === 'instructed') return { emulated: stated };
  if (stated === 'native' || model === undefined) return 'native';
  if (family === 'claude') return claudeTraits(model)?.schemas ? 'native' : { emulated: 'forced-tool' };
  if (heldToSchemas.test(model)) return 'native';
  return { emulated: family === 'other' ? 'instructed' : 'forced-tool' };
}
