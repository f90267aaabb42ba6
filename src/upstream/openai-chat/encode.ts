import type * as Wire from 'openai/resources/chat/completions';
import type { Endpoint, Provider } from '../../core/catalogue.ts';
import { samplers } from '../../core/parameters.ts';
import type {
  CanonicalChat,
  CustomTool,
  FunctionTool,
  HostedTool,
  Tool,
  ToolChoice,
  Verbosity,
} from '../../core/request.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import type { WireRequest } from '../adapter.ts';
import { asksForStream, fitCacheKey, requestedTier, supports } from '../call-facts.ts';
import { enforceable, withoutLookAround } from '../fit-output-schema.ts';
import { encodeMessages } from './encode-messages.ts';
import { encodeReasoning } from './encode-reasoning.ts';
import { mergeMembers } from './merge-members.ts';
import { type ChatProfile, chatProfile, takesTools } from './quirks.ts';
import { takesSchemas } from './structured-output.ts';

/** Members of a body; undefined ones are not written. */
type Members = Record<string, unknown>;

/**
 * Encodes a call as a chat completion. Only what the caller set is sent. Parameters that the endpoint is declared not
 * to support are left out (docs/spec/routing.md#parameters), except the token limit, which bounds the cost.
 */
export function encodeChat(call: UpstreamCall): WireRequest {
  const { request, endpoint } = call;
  const profile = chatProfile(endpoint.provider, endpoint.upstreamModel);
  const streamed = asksForStream(call);
  const body: Members = {
    model: endpoint.upstreamModel,
    messages: encodeMessages(request, profile),
    stream: streamed,
    stream_options: streamed && profile.streamOptions ? { include_usage: true } : undefined,
    [profile.maxTokensField]: request.maxOutputTokens,
    ...supportedMembers(call, profile),
    service_tier: serviceTier(call, profile),
    prompt_cache_key: fitCacheKey(request.promptCacheKey),
    [profile.endUserField]: request.endUser,
    ...outputMembers(request, profile),
    prediction:
      profile.prediction === true && request.prediction !== undefined
        ? { type: 'content', content: request.prediction }
        : undefined,
    ...encodeSearch(request, profile),
  };
  for (const name of profile.omit) delete body[name];
  return {
    path: profile.path,
    headers: credentialHeaders(endpoint.provider, profile),
    body: profile.body === undefined ? body : mergeMembers(profile.body, body),
    streamed,
  };
}

/** The headers that authenticate a call at a provider. */
export function credentialHeaders(
  { apiKey }: Provider,
  { auth }: ChatProfile,
): Readonly<Record<string, string>> {
  const key = apiKey?.reveal();
  if (!key) return {};
  return auth === 'bearer' ? { authorization: `Bearer ${key}` } : { [auth]: key };
}

/** The members whose names are also names of supported parameters. */
function supportedMembers(call: UpstreamCall, profile: ChatProfile): Members {
  const { request, endpoint } = call;
  const tools = takesTools(profile) && supports(endpoint, 'tools') ? encodeTools(request, profile) : {};
  const members: Members = {
    ...samplingMembers(request, profile),
    ...tools,
    verbosity: verbosity(request.verbosity),
  };
  const { seed, ...others } = endpoint.supportedParameters ? takenBy(endpoint, members) : members;
  return {
    ...others,
    [profile.seedField]: seed,
    response_format: responseFormat(call, profile),
    ...(supports(endpoint, 'reasoning', 'reasoning_effort') ? encodeReasoning(call, profile) : {}),
  };
}

function takenBy(endpoint: Endpoint, members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([name]) => supports(endpoint, name)));
}

const unsetSamplers: Members = Object.fromEntries(samplers.map(({ name }) => [name, undefined]));

function samplingMembers({ sampling }: CanonicalChat, profile: ChatProfile): Members {
  const members: Members = { ...unsetSamplers };
  for (const { name, member } of samplers) {
    if (sampling[member] !== undefined) members[name] = sampling[member];
  }
  members.stop = sampling.stop?.slice(0, profile.mostStops);
  const logprobs = sampling.topLogprobs ? sampling.topLogprobs : undefined;
  members.logprobs = profile.logprobs === 'count' ? logprobs : logprobs && true;
  members.top_logprobs = profile.logprobs === 'count' ? undefined : logprobs;
  return members;
}

/** The dialect's own scale ends at `high`. */
function verbosity(requested: Verbosity | undefined): string | undefined {
  return requested === 'xhigh' || requested === 'max' ? 'high' : requested;
}

/** Kinds of output besides text. */
function outputMembers(
  { outputModalities, imageConfig, speech }: CanonicalChat,
  { imageOutput, audioOutput }: ChatProfile,
): Members {
  const draws = imageOutput === true && outputModalities.includes('image');
  const speaks = audioOutput === true && outputModalities.includes('audio');
  if (!draws && !speaks) return {};
  return {
    modalities: outputModalities,
    image_config: draws ? imageConfig : undefined,
    audio: speaks ? speech : undefined,
  };
}

function responseFormat(
  { request: { format }, endpoint }: UpstreamCall,
  profile: ChatProfile,
): Members | undefined {
  const { structuredOutput: form } = profile;
  if (format.kind === 'text' || form === 'none') return undefined;
  if (format.kind === 'json_schema' && takesSchemas(form) && supports(endpoint, 'structured_outputs')) {
    const { name, description, strict } = format;
    const schema = format.strict === true ? enforceable(format.schema) : withoutLookAround(format.schema);
    if (form === 'json_object_schema') return { type: 'json_object', schema };
    return { type: 'json_schema', json_schema: { name, description, schema, strict } };
  }
  // An endpoint without schemas may still enforce JSON.
  if (form === 'json_schema_only' || !supports(endpoint, 'response_format')) return undefined;
  return { type: 'json_object' };
}

function serviceTier(call: UpstreamCall, { serviceTiers }: ChatProfile): string | undefined {
  const requested = requestedTier(call);
  return requested === undefined || serviceTiers === undefined ? requested : serviceTiers[requested];
}

/** A tool that the client runs. */
type ClientTool = FunctionTool | CustomTool;

/** The members that offer tools; none where the request has no client tool. */
function encodeTools(request: CanonicalChat, profile: ChatProfile): JsonObject {
  const offered = offeredTools(request, profile);
  if (offered.length === 0) return {};
  return {
    tools: offered.map((tool) => encodeTool(tool, profile)),
    tool_choice: encodeToolChoice(request.toolChoice, offered, profile),
    parallel_tool_calls: request.parallelToolCalls,
  };
}

/** The members that request a web search by the provider. */
function encodeSearch({ tools }: CanonicalChat, { webSearch }: ChatProfile): JsonObject {
  const tool = tools.find(
    (entry): entry is HostedTool => entry.kind === 'hosted' && entry.tool === 'web_search',
  );
  if (tool === undefined) return {};
  if (webSearch === 'enable_search') return { enable_search: true };
  if (webSearch !== 'web_search_options') return {};
  const { search_context_size, user_location } = tool.settings;
  const options: Record<string, unknown> = {};
  if (search_context_size !== undefined) options.search_context_size = search_context_size;
  if (isObject(user_location)) {
    const { type: _, ...approximate } = user_location;
    options.user_location = { type: 'approximate', approximate };
  }
  return { web_search_options: options };
}

/**
 * The tools that this call offers. Where the dialect has no form for a choice, the offer is reduced instead.
 */
function offeredTools({ tools, toolChoice }: CanonicalChat, { toolChoices }: ChatProfile): ClientTool[] {
  const offered = tools.filter(isClientTool);
  if (toolChoice.kind === 'none' && !toolChoices.includes('none')) return [];
  if (toolChoice.kind === 'tool' && !toolChoices.includes('named')) {
    return offered.filter((tool) => tool.name === toolChoice.name);
  }
  return offered;
}

function encodeTool(tool: ClientTool, profile: ChatProfile): Wire.ChatCompletionTool {
  return tool.kind === 'function' ? encodeFunction(tool, profile) : encodeCustom(tool);
}

/** The `tool_choice` member; undefined where it equals the dialect's default. */
function encodeToolChoice(
  choice: ToolChoice,
  tools: readonly ClientTool[],
  profile: ChatProfile,
): JsonObject | string | undefined {
  const { toolChoices, requiredWord } = profile;
  const required = toolChoices.includes('required') ? requiredWord : undefined;
  switch (choice.kind) {
    case 'auto':
    case 'hosted':
      return undefined;
    case 'none':
      return 'none';
    case 'required':
      return required;
    case 'tool':
      return toolChoices.includes('named') ? nameTool(choice.name, choice.form) : required;
    case 'allowed':
      if (toolChoices.includes('allowed_tools')) return allowTools(choice, tools);
      return choice.mode === 'required' ? required : undefined;
  }
}

function allowTools(
  choice: Extract<ToolChoice, { kind: 'allowed' }>,
  tools: readonly ClientTool[],
): JsonObject {
  const names = new Set(choice.names);
  const allowed = tools.filter((tool) => names.has(tool.name));
  return {
    type: 'allowed_tools',
    allowed_tools: { mode: choice.mode, tools: allowed.map((tool) => nameTool(tool.name, tool.kind)) },
  };
}

function nameTool(name: string, form: ClientTool['kind']): JsonObject {
  return form === 'custom' ? { type: 'custom', custom: { name } } : { type: 'function', function: { name } };
}

function encodeFunction(tool: FunctionTool, { strictTools }: ChatProfile): Wire.ChatCompletionFunctionTool {
  const { parameters = { type: 'object', properties: {} } } = tool;
  const isStrict = strictTools && tool.strict === true;
  return {
    type: 'function',
    function: {
      name: tool.name,
      description: tool.description,
      // Omitting it would mean no parameters, but some compatible providers fail without it.
      parameters: { ...(isStrict ? enforceable(parameters) : parameters) },
      strict: isStrict ? true : undefined,
    },
  };
}

function encodeCustom(tool: CustomTool): Wire.ChatCompletionCustomTool {
  const { name, description, grammar } = tool;
  return {
    type: 'custom',
    custom: { name, description, format: grammar ? { type: 'grammar', grammar: { ...grammar } } : undefined },
  };
}

function isClientTool(tool: Tool): tool is ClientTool {
  return tool.kind === 'function' || tool.kind === 'custom';
}
