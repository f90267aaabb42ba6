import { breakpointOfTool } from '../../core/breakpoints.ts';
import type { Provider } from '../../core/catalogue.ts';
import type { Feature, FeatureSupport, RequestTest, Support } from '../../core/features.ts';
import { bySamplerFeature } from '../../core/parameters.ts';
import type { CanonicalEmbedding } from '../../core/request.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import type { VectorAdapter, WireRequest } from '../adapter.ts';
import { encodeOpenaiEmbeddings, readOpenaiEmbeddings } from '../embeddings.ts';
import { nearestOf } from '../nearest-effort.ts';
import { readFailure } from '../openai-failures.ts';
import { setsSearchBeyond } from '../search-settings.ts';
import { usualNames } from '../tool-limits.ts';
import { argumentsWrapped, embeddingSupport, noSetting, outsideMessages } from '../usual-support.ts';
import { callSignatureFormat } from './call-signatures.ts';
import { ChatDecoder } from './decode.ts';
import { credentialHeaders, encodeChat } from './encode.ts';
import { type ChatProfile, chatProfile, takesTools } from './quirks.ts';
import { takesJsonMode, takesSchemas } from './structured-output.ts';

type Rows<Prefix extends string> = Pick<FeatureSupport, Extract<Feature, `${Prefix}${string}`>>;

/** The dialect's own scale ends below the highest levels. */
const cappedVerbosity: Support = {
  adapted: 'levels above `high` as `high`',
  when: ({ verbosity }) => verbosity === 'xhigh' || verbosity === 'max',
};

const marksOfTexts: Support = {
  adapted: 'of texts; marks of tools and calls are left out',
  when: ({ tools, items }) =>
    tools.some((tool) => breakpointOfTool(tool) !== undefined) ||
    items.some((item) => item.kind === 'call' && item.cacheControl !== undefined),
};

/** How this dialect handles each feature, at a provider with its quirks for a model. */
function chatSupport(provider: Provider, upstreamModel?: string): FeatureSupport {
  const profile = chatProfile(provider, upstreamModel);
  return {
    ...inputSupport(profile),
    ...itemSupport(profile),
    ...toolSupport(profile),
    ...choiceSupport(profile),
    ...textSupport(profile),
    ...reasoningSupport(profile),
    ...samplingSupport(profile),
    ...outsideMessages,
    ...embeddingSupport,
    'modalities.image': profile.imageOutput ? 'native' : 'refused',
    'modalities.audio': profile.audioOutput ? 'native' : 'refused',
    prediction: profile.prediction ? 'native' : noSetting,
    image_config: profile.imageOutput ? 'native' : { dropped: 'the provider makes no pictures here' },
    service_tier: serviceTierSupport(profile),
    prompt_cache_key: takes(profile, 'prompt_cache_key'),
    cache_control: profile.cacheControl ? marksOfTexts : { dropped: 'the provider takes no marks' },
    prompt_cache_options: { dropped: 'the dialect has no such setting' },
    'truncation.auto': { emulated: 'shortened' },
    prompt: 'refused',
    end_user: takes(profile, profile.endUserField),
    seals: profile.callSignatures ? [...profile.sealedFormats, callSignatureFormat] : profile.sealedFormats,
    toolNames: usualNames,
  };
}

/** Native unless the provider refuses the body member. */
function takes({ omit }: ChatProfile, ...members: readonly string[]): Support {
  return members.some((member) => omit.includes(member)) ? noSetting : 'native';
}

function inputSupport(profile: ChatProfile): Omit<Rows<'input.'>, keyof typeof outsideMessages> {
  const { input } = profile;
  const part = (kind: ChatProfile['input'][number]): Support => (input.includes(kind) ? 'native' : 'refused');
  return {
    'input.image.url': part('image_url'),
    'input.image.data': part('image_data'),
    // The dialect refers to files by id, but never to pictures.
    'input.image.file': 'refused',
    'input.file.data': part('file_data'),
    'input.file.url': part('file_url'),
    'input.file.id': part('file_id'),
    'input.audio': part('audio'),
    'input.video.data': part('video_data'),
    'input.video.url': part('video_url'),
    'input.message.media': { emulated: 'moved' },
    'input.tool_output.media': takesTools(profile)
      ? { adapted: 'told in a user message after the outputs of the turn' }
      : 'refused',
  };
}

function itemSupport(profile: ChatProfile): Rows<'item.'> {
  const { reasoningReplay, sealedFormats } = profile;
  const readsDetails = reasoningReplay === 'reasoning_details' && sealedFormats.length > 0;
  const sealed = readsDetails || profile.callSignatures === true;
  const pairs: Support = takesTools(profile) ? { emulated: 'as-call-pair' } : { emulated: 'as-message' };
  return {
    'item.system_later':
      profile.system_messages === 'any'
        ? 'native'
        : { adapted: 'as text of the user at its place, between `<system>` and `</system>`' },
    'item.user_after_tools': profile.speaksAfterTools
      ? { adapted: 'a word of the model stands between' }
      : 'native',
    'item.call_arguments': argumentsWrapped,
    'item.phase': { dropped: 'the dialect has no such label' },
    'item.reasoning.sealed': sealed
      ? 'native'
      : {
          dropped: reasoningReplay
            ? 'the provider takes the readable text alone back'
            : 'the provider takes no reasoning back',
        },
    'item.reasoning.readable': reasoningReplay
      ? 'native'
      : { dropped: 'the provider takes no reasoning back' },
    'item.additional_tools': { emulated: 'merged' },
    'item.agent_message': { emulated: 'as-message' },
    'item.configuration_update': { emulated: 'merged' },
    'item.compaction': 'refused',
    'item.hosted': pairs,
    'item.service': pairs,
  };
}

function toolSupport(profile: ChatProfile): Rows<'tool.'> {
  const { customTools, strictTools, webSearch } = profile;
  const tools = takesTools(profile);
  const asFunction: Support = tools ? { emulated: 'as-function' } : 'refused';
  return {
    'tool.function': tools ? 'native' : { dropped: 'the provider takes no tools' },
    'tool.function.strict': strictTools ? 'native' : { dropped: 'the provider checks no arguments' },
    'tool.function.async': { adapted: 'an output still missing is stated as such' },
    'tool.namespace': tools ? { emulated: 'flattened' } : 'refused',
    'tool.custom': customTools ? 'native' : asFunction,
    'tool.custom.grammar': customTools ? 'native' : { emulated: 'described' },
    'tool.web_search': webSearch === undefined ? 'refused' : searchSupport(webSearch),
    'tool.file_search': 'refused',
    'tool.computer': 'refused',
    'tool.code_interpreter': 'refused',
    'tool.mcp': 'refused',
    'tool.image_generation': 'refused',
    'tool.local_shell': asFunction,
    'tool.shell': asFunction,
    'tool.apply_patch': asFunction,
  };
}

function searchSupport(webSearch: NonNullable<ChatProfile['webSearch']>): Support {
  if (webSearch === 'always') return { adapted: 'every answer is searched for' };
  const limits = 'filters and limits are not told; searches show as citations only';
  if (webSearch !== 'web_search_options') return { adapted: `${limits}, nor is a location` };
  const differs: RequestTest = (request) =>
    setsSearchBeyond(request, ['search_context_size', 'user_location']);
  return { adapted: limits, when: differs };
}

function choiceSupport(
  profile: ChatProfile,
): Rows<'tool_choice.'> & Pick<FeatureSupport, 'parallel_tool_calls'> {
  const { toolChoices, omit } = profile;
  const choices = omit.includes('tool_choice') ? [] : toolChoices;
  const required: Support = choices.includes('required') ? 'native' : 'refused';
  return {
    'tool_choice.none': choices.includes('none') ? 'native' : { adapted: 'no tool is offered' },
    'tool_choice.required': required,
    'tool_choice.named': choices.includes('named')
      ? 'native'
      : required === 'native'
        ? { adapted: 'only that tool is offered, and one must be called' }
        : 'refused',
    'tool_choice.allowed': choices.includes('allowed_tools') ? 'native' : { emulated: 'filtered' },
    parallel_tool_calls: omit.includes('parallel_tool_calls') ? { emulated: 'filtered' } : 'native',
  };
}

function textSupport(profile: ChatProfile): Rows<'text.'> {
  const form = profile.omit.includes('response_format') ? 'none' : profile.structuredOutput;
  return {
    'text.json_object': takesJsonMode(form) ? 'native' : { emulated: 'instructed' },
    'text.json_schema': takesSchemas(form) ? 'native' : { emulated: profile.schemaFallback },
    'text.verbosity': profile.omit.includes('verbosity') ? noSetting : cappedVerbosity,
  };
}

function reasoningSupport({
  reasoningControls: controls,
  omit,
  efforts: levels,
}: ChatProfile): Rows<'reasoning.'> & Pick<FeatureSupport, 'stopsReasoning'> {
  const words: readonly string[] = controls.filter((control) => !omit.includes(control));
  const hasAny = (...names: string[]) => names.some((name) => words.includes(name));
  const budgets = hasAny('reasoning', 'thinking.budget_tokens', 'thinking_budget');
  const efforts = hasAny('reasoning_effort', 'reasoning');
  const onOff = (exact: readonly (string | undefined)[]): Support =>
    words.length === 0
      ? noSetting
      : {
          adapted: 'reasoning is turned on or off',
          when: ({ reasoning }) => !exact.includes(reasoning?.effort),
        };
  const native: Support = levels === undefined ? 'native' : nearestOf(levels);
  return {
    'reasoning.effort': efforts ? native : budgets ? asBudget : onOff(['none', 'medium']),
    'reasoning.max_tokens': budgets ? 'native' : efforts ? { adapted: 'as the nearest effort' } : onOff([]),
    'reasoning.summary': {
      adapted: 'what the provider sums up is told, in the one form it has',
      when: ({ reasoning }) => reasoning?.summary !== 'auto',
    },
    'reasoning.context': { dropped: 'the dialect has no such setting' },
    'reasoning.mode': 'refused',
    stopsReasoning: words.some((word) => !degrees.has(word)),
  };
}

/** Controls that set a degree of reasoning; all others also turn it on or off. */
const degrees: ReadonlySet<string> = new Set(['reasoning_effort', 'thinking_budget']);

/** A share of an unstated output limit is a guess. */
const asBudget: Support = {
  adapted: 'as a budget of tokens',
  when: ({ maxOutputTokens }, { endpoint }) =>
    (maxOutputTokens ?? endpoint.maxCompletionTokens) === undefined,
};

function samplingSupport(profile: ChatProfile): Rows<'sampling.'> {
  return {
    ...bySamplerFeature((names) => takes(profile, ...names)),
    'sampling.seed': takes(profile, profile.seedField),
    'sampling.stop': stopSupport(profile),
    'sampling.logprobs': takes(profile, 'logprobs', 'top_logprobs'),
  };
}

function stopSupport(profile: ChatProfile): Support {
  const { mostStops } = profile;
  if (mostStops === undefined || profile.omit.includes('stop')) return takes(profile, 'stop');
  return {
    adapted: `the first ${mostStops} count`,
    when: ({ sampling }) => (sampling.stop?.length ?? 0) > mostStops,
  };
}

function serviceTierSupport(profile: ChatProfile): Support {
  if (profile.omit.includes('service_tier')) return noSetting;
  const { serviceTiers: words } = profile;
  if (words === undefined) return 'native';
  return {
    adapted: "in the provider's own words",
    when: ({ serviceTier = 'auto' }) => serviceTier !== 'auto' && !Object.hasOwn(words, serviceTier),
  };
}

/**
 * The chat-completions dialect, which most providers imitate. The quirks of a provider's data row describe its
 * differences (`ChatQuirks`).
 */
export const openaiChatAdapter: VectorAdapter = {
  encode: encodeChat,
  createDecoder: (call) => new ChatDecoder(call),
  embedding: { encode: encodeEmbeddings, read: readOpenaiEmbeddings },
  readFailure: (status, body, provider) => readFailure(status, body, chatProfile(provider).errorCodes),
  support: chatSupport,
};

/** Encodes a call for vectors: `POST /embeddings`. Quirk `omit` names members that the provider does not take. */
function encodeEmbeddings({ request, endpoint }: UpstreamCall<CanonicalEmbedding>): WireRequest {
  const profile = chatProfile(endpoint.provider, endpoint.upstreamModel);
  const body: Record<string, unknown> = { ...encodeOpenaiEmbeddings(endpoint.upstreamModel, request) };
  for (const name of profile.omit) delete body[name];
  return {
    path: '/embeddings',
    headers: credentialHeaders(endpoint.provider, profile),
    body,
    streamed: false,
  };
}
