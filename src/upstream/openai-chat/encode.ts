import type { Endpoint } from '../../core/catalogue.ts';
import type { CanonicalRequest } from '../../core/request.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import type { WireRequest } from '../adapter.ts';
import { asksForStream } from '../asks-for-stream.ts';
import { reasoningEffort } from '../reasoning-effort.ts';
import { supports } from '../supported-parameters.ts';
import { encodeMessages } from './encode-messages.ts';
import { encodeTool, encodeToolChoice } from './encode-tools.ts';
import { type ChatQuirks, chatQuirks } from './quirks.ts';

/** Members of a body; those that are undefined are not written. */
type Members = Record<string, unknown>;

/**
 * A call as a chat completion. Only what the caller set is sent; parameters the endpoint is
 * declared not to support are left out (routing.md 3.3), except the token limit, which bounds the cost.
 */
export function encodeChat(call: UpstreamCall): WireRequest {
  const { request, endpoint } = call;
  const { provider } = endpoint;
  const quirks = chatQuirks(provider);
  const streamed = asksForStream(call);
  const body: Members = {
    model: endpoint.upstreamModel,
    messages: encodeMessages(request, quirks),
    stream: streamed,
    stream_options: streamed && quirks.streamOptions ? { include_usage: true } : undefined,
    [quirks.maxTokensField]: request.maxOutputTokens,
    ...supportedMembers(call, quirks),
    service_tier: serviceTier(call),
    prompt_cache_key: request.promptCacheKey,
    user: request.endUser,
  };
  for (const name of quirks.omit) delete body[name];
  const key = provider.apiKey?.reveal();
  return {
    path: '/chat/completions',
    headers: key ? { authorization: `Bearer ${key}` } : {},
    body,
    streamed,
  };
}

/** The members whose names are the vocabulary of supported parameters. */
function supportedMembers(call: UpstreamCall, quirks: ChatQuirks): Members {
  const { request, endpoint } = call;
  const members: Members = {
    ...samplingMembers(request),
    ...(supports(endpoint, 'tools') ? toolMembers(request, quirks) : {}),
    verbosity: request.verbosity,
  };
  const { seed, ...others } = endpoint.supportedParameters ? takenBy(endpoint, members) : members;
  return {
    ...others,
    [quirks.seedField]: seed,
    response_format: responseFormat(call),
    reasoning_effort: supports(endpoint, 'reasoning', 'reasoning_effort') ? effort(call) : undefined,
  };
}

function takenBy(endpoint: Endpoint, members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([name]) => supports(endpoint, name)));
}

function samplingMembers({ sampling }: CanonicalRequest): Members {
  const logprobs = sampling.topLogprobs ? sampling.topLogprobs : undefined;
  return {
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: sampling.topK,
    min_p: sampling.minP,
    top_a: sampling.topA,
    frequency_penalty: sampling.frequencyPenalty,
    presence_penalty: sampling.presencePenalty,
    repetition_penalty: sampling.repetitionPenalty,
    seed: sampling.seed,
    stop: sampling.stop,
    logit_bias: sampling.logitBias,
    logprobs: logprobs && true,
    top_logprobs: logprobs,
  };
}

function toolMembers(request: CanonicalRequest, quirks: ChatQuirks): Members {
  if (request.tools.length === 0) return {};
  return {
    tools: request.tools.map((tool) => encodeTool(tool, quirks)),
    tool_choice: encodeToolChoice(request.toolChoice, request.tools, quirks),
    parallel_tool_calls: request.parallelToolCalls,
  };
}

function responseFormat({ request: { format }, endpoint }: UpstreamCall): Members | undefined {
  if (format.kind === 'text') return undefined;
  if (format.kind === 'json_schema' && supports(endpoint, 'structured_outputs')) {
    const { name, description, schema, strict } = format;
    return { type: 'json_schema', json_schema: { name, description, schema, strict } };
  }
  // An endpoint that knows no schemas can still be held to JSON.
  return supports(endpoint, 'response_format') ? { type: 'json_object' } : undefined;
}

function effort({ request, model, endpoint }: UpstreamCall): string | undefined {
  if (!request.reasoning) return undefined;
  const outputLimit = request.maxOutputTokens ?? endpoint.maxCompletionTokens;
  return reasoningEffort(request.reasoning, outputLimit, model.reasoning?.supportedEfforts);
}

/** The endpoint decides the tier, and with it the price: a default one never asks for a dearer tier. */
function serviceTier({ request, endpoint }: UpstreamCall): string | undefined {
  if (endpoint.tier !== 'default') return endpoint.tier;
  const asked = request.serviceTier;
  return asked === 'flex' || asked === 'priority' ? undefined : asked;
}
