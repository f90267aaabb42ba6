import { breakpointsOf, prolongsPrefixes } from '../../core/breakpoints.ts';
import type { Provider } from '../../core/catalogue.ts';
import type { FeatureSupport, RequestTest, Support } from '../../core/features.ts';
import type { Effort } from '../../core/request.ts';
import { claudeTraits } from '../claude-model.ts';
import {
  blankStops,
  chosenUnlessReasoning,
  claudeMessages,
  claudeReasoning,
  samplersOf,
  strictWhereDeclared,
} from '../claude-support.ts';
import { isEnforceable } from '../enforced-schemas.ts';
import { usualNames } from '../tool-limits.ts';
import { noSetting, usualSupport } from '../usual-support.ts';
import { cachesPrefixes, maxCachePoints } from './cache-points.ts';
import { effortLevels, excludesLimit } from './encode-reasoning.ts';
import { topKs } from './encode-request.ts';
import { familyOf, type ModelFamily } from './model-family.ts';

/** Support that every model of the dialect shares. */
const everywhere = {
  ...usualSupport,
  'tool_output.error': 'native',
  toolNames: usualNames,
  rootObjects: true,
  'modalities.embeddings': 'native',
  'embedding.dimensions': 'native',
  'embedding.input_type': 'native',
  'input.image.url': 'refused',
  'input.image.file': 'refused',
  'input.file.url': 'refused',
  'input.file.id': 'refused',
  'input.audio': 'native',
  'input.video.data': 'native',
  'input.video.url': 'refused',
  'input.tool_output.media': 'native',
  'item.hosted': { emulated: 'as-call-pair' },
  'tool.function.strict': strictWhereDeclared,
  'tool.web_search': 'refused',
  'tool.code_interpreter': 'refused',
  'tool_choice.none': { emulated: 'filtered' },
  'tool_choice.required': chosenUnlessReasoning,
  'tool_choice.named': chosenUnlessReasoning,
  'sampling.stop': blankStops,
  'modalities.image': { adapted: 'models that draw decide for themselves' },
  service_tier: {
    adapted: '`auto` is left to the provider; `scale` is not known',
    when: ({ serviceTier }) => serviceTier === 'scale',
  },
  prompt_cache_options: { dropped: 'the provider caches only at cache points anyway' },
} as const satisfies Partial<FeatureSupport>;

/** Makers whose models here enforce a schema; Claude depends on its version. */
const schemaFamilies =
  /gpt-oss|qwen|deepseek\.v|gemma|minimax|moonshot|nvidia|mistral\.(mag|min)istral|mistral-large-3/i;

/**
 * How the Converse dialect handles each feature. Quirk `structuredOutput` (`native`, `forced-tool` or `instructed`)
 * overrides what is known of the model.
 * @param upstreamModel if absent, the answer describes the most capable models.
 */
export function supportOf({ quirks }: Provider, upstreamModel: string | undefined): FeatureSupport {
  const family = upstreamModel === undefined ? 'claude' : familyOf(upstreamModel);
  return {
    seals: ['anthropic-claude-v1', 'unknown'],
    ...everywhere,
    ...(family === 'claude' && { enforces: isEnforceable, mostMessages: claudeMessages }),
    'text.json_schema': schemaSupport(quirks.structuredOutput, upstreamModel, family),
    ...reasoningSupport(family),
    ...samplersOf(upstreamModel),
    ...(topKs[family] === undefined && upstreamModel !== undefined ? { 'sampling.top_k': noSetting } : {}),
    cache_control:
      upstreamModel === undefined || cachesPrefixes(upstreamModel)
        ? cachePointSupport(upstreamModel)
        : noSetting,
  };
}

function reasoningSupport(
  family: ModelFamily,
): Pick<FeatureSupport, 'reasoning.effort' | 'reasoning.max_tokens' | 'stopsReasoning'> {
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
    if (points.length > maxCachePoints) return true;
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
  if (schemaFamilies.test(model)) return 'native';
  return { emulated: family === 'other' ? 'instructed' : 'forced-tool' };
}
