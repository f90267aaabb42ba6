import type { Provider } from '../../core/catalogue.ts';
import type { Feature, FeatureSupport, Support } from '../../core/features.ts';
import type { HostedKind } from '../../core/hosted.ts';
import { bySamplerFeature } from '../../core/parameters.ts';
import { nearestOf } from '../nearest-effort.ts';
import { setsSearchBeyond } from '../search-settings.ts';
import { usualNames } from '../tool-limits.ts';
import { embeddingSupport, outsideMessages } from '../usual-support.ts';
import { pictureSettings } from './encode-tools.ts';
import { type ResponsesProfile, responsesProfile } from './quirks.ts';

type Rows<Prefix extends string> = Pick<FeatureSupport, Extract<Feature, `${Prefix}${string}`>>;

const noSuchSetting: Support = { dropped: 'the dialect has no such setting' };
const notTaken: Support = { dropped: 'the provider does not take it' };
const asFunction: Support = { emulated: 'as-function' };
const plainSearch: Support = {
  adapted: 'the provider has only `allowed_domains`, `search_context_size` and `user_location`',
  when: (request) => setsSearchBeyond(request, ['allowed_domains', 'search_context_size', 'user_location']),
};
const pictureTool: Support = {
  adapted: 'the tool `image_generation` is offered',
  when: ({ tools }) => !tools.some((tool) => tool.kind === 'hosted' && tool.tool === 'image_generation'),
};
const pictureConfig: Support = {
  adapted: 'settings the tool `image_generation` has, where the caller does not offer it',
  when: ({ imageConfig = {}, tools }) =>
    tools.some((tool) => tool.kind === 'hosted' && tool.tool === 'image_generation') ||
    Object.keys(imageConfig).some((name) => !pictureSettings.some((known) => known === name)),
};
const breakpoints: Support = {
  adapted: 'breakpoints go out with `prompt_cache_options`; else the provider caches by itself',
  when: ({ promptCacheOptions }) => promptCacheOptions === undefined,
};

/** How this dialect handles each feature, at a provider with its quirks. */
export function responsesSupport(provider: Provider, upstreamModel?: string): FeatureSupport {
  const profile = responsesProfile(provider);
  const takes = (member: string, otherwise: Support = notTaken, taken: Support = 'native'): Support =>
    profile.omit.has(member) ? otherwise : taken;
  const pictures = profile.hostedTools.has('image_generation');
  return {
    ...outsideMessages,
    seals: [profile.format],
    pairsReasoning: isOpenAi(profile),
    rootObjects: isOpenAi(profile),
    ...inputSupport(takes),
    ...itemSupport(profile, takes),
    ...toolSupport(profile, takes),
    'tool.function.async': goesOn(profile, upstreamModel)
      ? 'native'
      : { dropped: 'the model waits for the output' },
    'tool_choice.none': takes('tool_choice', { emulated: 'filtered' }),
    'tool_choice.required': takes('tool_choice', 'refused'),
    'tool_choice.named': takes('tool_choice', 'refused'),
    'tool_choice.allowed': takes('allowed_tools', { emulated: 'filtered' }),
    parallel_tool_calls: takes('parallel_tool_calls', { emulated: 'filtered' }),
    'text.json_object': takes('json_object', { emulated: 'instructed' }),
    'text.json_schema': takes('json_schema', { emulated: 'instructed' }),
    'text.verbosity': profile.omit.has('verbosity')
      ? notTaken
      : {
          adapted: 'the scale ends at `high`',
          when: ({ verbosity }) => verbosity === 'xhigh' || verbosity === 'max',
        },
    'reasoning.effort': takes(
      'reasoning.effort',
      notTaken,
      profile.efforts === undefined ? 'native' : nearestOf(profile.efforts),
    ),
    'reasoning.max_tokens': profile.omit.has('reasoning.effort')
      ? notTaken
      : { adapted: 'as the nearest effort' },
    toolNames: usualNames,
    'reasoning.summary': takes('reasoning.summary'),
    'reasoning.context': takes('reasoning.context'),
    'reasoning.mode': takes('reasoning.mode', 'refused'),
    ...samplingSupport(takes),
    ...embeddingSupport,
    'modalities.image': pictures ? pictureTool : 'refused',
    'modalities.audio': 'refused',
    prediction: { dropped: 'the dialect has no such setting' },
    image_config: pictures ? pictureConfig : notTaken,
    service_tier: takes('service_tier', notTaken, tierSupport(profile)),
    prompt_cache_key: takes('prompt_cache_key'),
    cache_control: profile.omit.has('prompt_cache_options')
      ? { dropped: 'the provider caches by itself' }
      : breakpoints,
    prompt_cache_options: takes('prompt_cache_options'),
    'truncation.auto': takes('truncation', { emulated: 'shortened' }),
    prompt: takes('prompt', 'refused'),
    end_user: takes('safety_identifier'),
  };
}

function tierSupport({ serviceTiers: words }: ResponsesProfile): Support {
  if (words === undefined) return 'native';
  return {
    adapted: `only ${words.join(' and ')}; \`auto\` is left to the provider`,
    when: ({ serviceTier = 'auto' }) => serviceTier !== 'auto' && !words.includes(serviceTier),
  };
}

type Takes = (member: string, otherwise?: Support) => Support;

function inputSupport(takes: Takes): Omit<Rows<'input.'>, keyof typeof outsideMessages> {
  return {
    'input.image.url': takes('input_image', 'refused'),
    'input.image.data': takes('input_image', 'refused'),
    'input.image.file': takes('file_id', 'refused'),
    'input.file.data': takes('input_file', 'refused'),
    'input.file.url': takes('input_file', 'refused'),
    'input.file.id': takes('file_id', 'refused'),
    'input.audio': takes('input_audio', 'refused'),
    'input.video.data': 'refused',
    'input.video.url': 'refused',
    'input.message.media': { emulated: 'moved' },
    'input.tool_output.media': takes('tool_output_media', 'refused'),
  };
}

function itemSupport({ hostedTools, format }: ResponsesProfile, takes: Takes): Rows<'item.'> {
  const readsCompaction = format === 'openai-responses-v1' || format === 'azure-openai-responses-v1';
  return {
    'item.system_later': 'native',
    'item.user_after_tools': 'native',
    'item.call_arguments': 'native',
    'item.phase': takes('phase'),
    'item.reasoning.sealed': 'native',
    'item.reasoning.readable': 'native',
    'item.additional_tools': takes('additional_tools', { emulated: 'merged' }),
    'item.agent_message': { emulated: 'as-message' },
    'item.configuration_update': { emulated: 'merged' },
    'item.compaction': readsCompaction ? takes('compaction', 'refused') : 'refused',
    'item.hosted': hostedTools.size > 0 ? 'native' : { emulated: 'as-call-pair' },
    'item.service': { emulated: 'as-call-pair' },
  };
}

function isOpenAi({ format }: Pick<ResponsesProfile, 'format'>): boolean {
  return /^(azure-)?openai-/.test(format);
}

/** Whether a model goes on while functions run: the makers' own from GPT-6 on. Unset, the answer describes the most capable models. */
function goesOn({ format }: Pick<ResponsesProfile, 'format'>, upstreamModel = 'gpt-6'): boolean {
  return isOpenAi({ format }) && /^gpt-([6-9]|\d\d)/.test(upstreamModel);
}

function toolSupport(
  { hostedTools }: ResponsesProfile,
  takes: Takes,
): Omit<Rows<'tool.'>, 'tool.function.async'> {
  const hosted = (kind: HostedKind, otherwise: Support = 'refused'): Support =>
    hostedTools.has(kind) ? 'native' : otherwise;
  return {
    'tool.function': 'native',
    'tool.function.strict': takes('strict'),
    'tool.namespace': takes('namespace', { emulated: 'flattened' }),
    'tool.custom': takes('custom', asFunction),
    'tool.custom.grammar': takes('grammar', { emulated: 'described' }),
    'tool.web_search': hostedTools.has('web_search') ? plainSearch : 'refused',
    'tool.file_search': hosted('file_search'),
    'tool.computer': hosted('computer'),
    'tool.code_interpreter': hosted('code_interpreter'),
    'tool.mcp': hosted('mcp'),
    'tool.image_generation': hosted('image_generation'),
    'tool.local_shell': hosted('local_shell', asFunction),
    'tool.shell': hosted('shell', asFunction),
    'tool.apply_patch': hosted('apply_patch', asFunction),
  };
}

function samplingSupport(takes: Takes): Rows<'sampling.'> {
  return {
    ...bySamplerFeature(() => noSuchSetting),
    'sampling.temperature': takes('temperature'),
    'sampling.top_p': takes('top_p'),
    'sampling.logprobs': takes('top_logprobs'),
  };
}
