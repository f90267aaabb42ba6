import type * as Wire from 'openai/resources/responses/responses';
import type { Provider } from '../../core/catalogue.ts';
import type { Feature, FeatureSupport, Support } from '../../core/features.ts';
import type { HostedKind } from '../../core/hosted.ts';
import { bySamplerFeature, takesParameter } from '../../core/parameters.ts';
import { reasoningEffort } from '../../core/reasoning-effort.ts';
import type { CanonicalChat, CanonicalEmbedding, Item } from '../../core/request.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import type { JsonObject } from '../../util/json.ts';
import type { VectorAdapter, WireRequest } from '../adapter.ts';
import { asksForStream, fitCacheKey, requestedTier } from '../call-facts.ts';
import { encodeOpenaiEmbeddings, readOpenaiEmbeddings } from '../embeddings.ts';
import { enforceable, withoutLookAround } from '../fit-output-schema.ts';
import { countOf } from '../lenient.ts';
import { nearestOf } from '../nearest-effort.ts';
import { readFailure } from '../openai-failures.ts';
import { pickMembers } from '../pick-members.ts';
import { setsSearchBeyond } from '../search-settings.ts';
import { usualNames } from '../tool-limits.ts';
import { embeddingSupport, outsideMessages } from '../usual-support.ts';
import { encodeItems } from './encode-items.ts';
import { encodeTools, pictureSettings } from './encode-tools.ts';
import { type ResponsesProfile, responsesProfile } from './quirks.ts';
import { ResponsesDecoder } from './responses-decoder.ts';

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
function responsesSupport(provider: Provider, upstreamModel?: string): FeatureSupport {
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

/**
 * Encodes a request as a call in the Responses dialect, never stored. Omits parameters that the endpoint is declared
 * not to support. Translation has rewritten what the dialect cannot express (see `responsesSupport`).
 */
function encodeRequest(call: UpstreamCall): WireRequest {
  const { provider, upstreamModel } = call.endpoint;
  const { request } = call;
  const profile = responsesProfile(provider);
  const takes = (member: string) => !profile.omit.has(member);
  const key = provider.apiKey?.reveal();
  const streamed = asksForStream(call);
  // The models that accept breakpoints are those that accept these options.
  const marks = request.promptCacheOptions !== undefined && takes('prompt_cache_options');
  return {
    path: '/responses',
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    body: {
      model: upstreamModel,
      stream: streamed,
      store: false,
      instructions: takes('instructions') ? request.instructions : undefined,
      prompt: request.prompt,
      // A template may be the whole prompt.
      input:
        request.items.length === 0 && request.prompt !== undefined
          ? undefined
          : encodeItems(
              takes('instructions') ? request : { ...request, items: withInstructions(request) },
              profile,
              marks,
            ),
      ...encodeTools(call, profile),
      ...encodeSampling(call),
      max_output_tokens: request.maxOutputTokens,
      text: encodeText(call),
      reasoning: encodeReasoning(call, profile),
      include: encodeInclude(call, profile),
      service_tier: takes('service_tier') ? encodeTier(call, profile) : undefined,
      prompt_cache_key: fitCacheKey(request.promptCacheKey),
      prompt_cache_options: marks ? request.promptCacheOptions : undefined,
      safety_identifier: takes('safety_identifier') ? request.endUser : undefined,
      // The default is left out because the newest models no longer know the member.
      truncation: request.truncation === 'auto' ? 'auto' : undefined,
    },
    streamed,
  };
}

type Params = Partial<Wire.ResponseCreateParams>;

function encodeSampling({ request, endpoint }: UpstreamCall): Params {
  const { temperature, topP, topLogprobs } = request.sampling;
  return {
    temperature: takesParameter(endpoint, 'temperature') ? temperature : undefined,
    top_p: takesParameter(endpoint, 'top_p') ? topP : undefined,
    top_logprobs: takesParameter(endpoint, 'top_logprobs') ? topLogprobs : undefined,
  };
}

function encodeText(call: UpstreamCall): Params['text'] {
  const format = encodeFormat(call);
  const verbosity = encodeVerbosity(call);
  return format === undefined && verbosity === undefined ? undefined : { format, verbosity };
}

function encodeFormat({ request, endpoint }: UpstreamCall): Wire.ResponseFormatTextConfig | undefined {
  if (request.format.kind === 'text') return undefined;
  if (request.format.kind === 'json_schema' && takesParameter(endpoint, 'structured_outputs')) {
    const { name, schema, description, strict } = request.format;
    return {
      type: 'json_schema',
      name,
      schema: strict === true ? enforceable(schema) : withoutLookAround(schema),
      description,
      strict,
    };
  }
  // An endpoint without schemas may still enforce JSON.
  return takesParameter(endpoint, 'response_format') ? { type: 'json_object' } : undefined;
}

function encodeVerbosity({ request, endpoint }: UpstreamCall): 'low' | 'medium' | 'high' | undefined {
  const { verbosity } = request;
  if (!takesParameter(endpoint, 'verbosity')) return undefined;
  // The dialect's scale ends at high.
  return verbosity === 'xhigh' || verbosity === 'max' ? 'high' : verbosity;
}

function encodeReasoning(
  { request, model, endpoint }: UpstreamCall,
  { omit, efforts }: ResponsesProfile,
): JsonObject | undefined {
  const control = request.reasoning;
  if (control === undefined || !takesParameter(endpoint, 'reasoning')) return undefined;
  const outputLimit = request.maxOutputTokens ?? endpoint.maxCompletionTokens;
  const effort = reasoningEffort(control, outputLimit, model.reasoning?.supportedEfforts ?? efforts);
  const encoded: Params['reasoning'] = {
    effort: omit.has('reasoning.effort') ? undefined : effort,
    // A hidden summary would still cost money.
    summary: control.exclude === true ? undefined : control.summary,
    context: control.context,
    mode: control.mode,
  };
  return Object.values(encoded).some((value) => value !== undefined) ? { ...encoded } : undefined;
}

/** Details of hosted items that callers request by the same names. */
const details: readonly Wire.ResponseIncludable[] = [
  'file_search_call.results',
  'code_interpreter_call.outputs',
  'computer_call_output.output.image_url',
  'message.input_image.image_url',
];

function encodeInclude(
  call: UpstreamCall,
  { omit, hostedTools }: ResponsesProfile,
): Wire.ResponseIncludable[] | undefined {
  const { request } = call;
  const include: Wire.ResponseIncludable[] = [];
  if (request.includeEncryptedReasoning) include.push('reasoning.encrypted_content');
  if ((encodeSampling(call).top_logprobs ?? 0) > 0) include.push('message.output_text.logprobs');
  if (hostedTools.size > 0) include.push(...details.filter((name) => request.include?.includes(name)));
  // The sources of a search belong to its action here, but the dialect sends them only on request, and not in its
  // first version.
  const searches = request.tools.some(
    (tool) => tool.kind === 'hosted' && /^web_search(_\d|$)/.test(tool.type),
  );
  if (searches) include.push('web_search_call.action.sources');
  const supported = include.filter((name) => !omit.has(name));
  return supported.length > 0 ? supported : undefined;
}

function encodeTier(call: UpstreamCall, { serviceTiers: words }: ResponsesProfile): Params['service_tier'] {
  const tier = requestedTier(call);
  return tier === undefined || words?.includes(tier) === false ? undefined : tier;
}

/** Puts the instructions into a system message, for providers without a member for them. */
function withInstructions({ instructions, items }: CanonicalChat): readonly Item[] {
  if (!instructions) return items;
  return [{ kind: 'message', role: 'system', content: [{ kind: 'text', text: instructions }] }, ...items];
}

/** The members of a body that a request for its size may have. */
const counted = [
  'model',
  'instructions',
  'input',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'text',
];

/** The Responses dialect of OpenAI and compatible providers: `POST /responses`, never stored. */
export const openaiResponsesAdapter: VectorAdapter = {
  encode: encodeRequest,
  createDecoder: ({ endpoint }) => new ResponsesDecoder(responsesProfile(endpoint.provider).format),
  embedding: { encode: encodeEmbeddings, read: readOpenaiEmbeddings },
  readFailure: (status, body) => readFailure(status, body),
  support: responsesSupport,
  counting: {
    encode(call) {
      const wire = encodeRequest(call);
      const body = pickMembers(wire.body, counted);
      return { ...wire, path: `${wire.path}/input_tokens`, body, streamed: false };
    },
    read: ({ input_tokens }) => countOf(input_tokens),
  },
};

/** Encodes a call for vectors: `POST /embeddings`. */
function encodeEmbeddings({ request, endpoint }: UpstreamCall<CanonicalEmbedding>): WireRequest {
  const key = endpoint.provider.apiKey?.reveal();
  return {
    path: '/embeddings',
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    body: encodeOpenaiEmbeddings(endpoint.upstreamModel, request),
    streamed: false,
  };
}
