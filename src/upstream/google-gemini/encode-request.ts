import type { Sampling, TextFormat } from '../../core/request.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import type { WireRequest } from '../adapter.ts';
import { asksForStream } from '../asks-for-stream.ts';
import { requestedTier } from '../requested-tier.ts';
import type { PartContext } from './encode-content.ts';
import { encodeConversation } from './encode-conversation.ts';
import { encodeThinking } from './encode-thinking.ts';
import { encodeTools, withoutDialect } from './encode-tools.ts';
import { mediaResolution } from './media-resolution.ts';
import { type GeminiHost, modelTraits } from './model-traits.ts';
import type { GenerateContentBody, GenerationConfig, ServiceTier } from './wire.ts';

/**
 * Encodes a request as a call in the Gemini dialect. On Vertex it contains no credential, and its path follows
 * `.../projects/<project>/locations/<location>`.
 */
export function encodeRequest(call: UpstreamCall, host: GeminiHost): WireRequest {
  const { endpoint } = call;
  const streamed = asksForStream(call);
  const method = streamed ? 'streamGenerateContent?alt=sse' : 'generateContent';
  const key = host === 'ai-studio' ? endpoint.provider.apiKey?.reveal() : undefined;
  return {
    path: `/${modelPath(endpoint.upstreamModel, host)}:${method}`,
    headers: { ...(key === undefined ? {} : { 'x-goog-api-key': key }), ...tierHeader(call, host) },
    body: { ...encodeBody(call, host) },
    streamed,
  };
}

/** The path needs a collection before the model's name; names that contain one stay unchanged. */
export function modelPath(upstreamModel: string, host: GeminiHost): string {
  const path = upstreamModel.split('/').map(encodeURIComponent).join('/');
  if (upstreamModel.includes('/')) return path;
  return host === 'vertex' ? `publishers/google/models/${path}` : `models/${path}`;
}

function encodeBody(call: UpstreamCall, host: GeminiHost): GenerateContentBody {
  const { request, endpoint } = call;
  const traits = modelTraits(call);
  const { baseUrl = '' } = endpoint.provider;
  const context: PartContext = { host, filesAt: host === 'ai-studio' ? `${baseUrl}/files/` : undefined };
  const tools = encodeTools(call, host);
  // Older models refuse an answer format together with tools.
  const inWords = tools.tools !== undefined && !traits.mixesTools;
  const wish = inWords ? describeFormat(request.format) : undefined;
  const instructions = [request.instructions, wish].filter(Boolean).join('\n\n');
  const { system, contents } = encodeConversation(instructions, request.items, traits, context);
  return {
    contents,
    systemInstruction: system.length > 0 ? { parts: system } : undefined,
    ...tools,
    generationConfig: encodeGeneration(call, inWords),
    serviceTier: host === 'ai-studio' ? encodeTier(call) : undefined,
  };
}

function encodeGeneration(call: UpstreamCall, inWords: boolean): GenerationConfig | undefined {
  const { request } = call;
  const config: GenerationConfig = {
    maxOutputTokens: request.maxOutputTokens,
    ...encodeSampling(request.sampling),
    ...(inWords ? {} : encodeFormat(request.format)),
    responseModalities: request.outputModalities.includes('image')
      ? request.outputModalities.map((modality) => modality.toUpperCase())
      : undefined,
    mediaResolution: mediaResolution(request.items, call.endpoint.upstreamModel),
    imageConfig: request.imageConfig && camelCased(request.imageConfig),
    thinkingConfig: encodeThinking(call),
  };
  return Object.values(config).some((value) => value !== undefined) ? config : undefined;
}

/** How many stop texts a request may have. */
export const maxStops = 5;

function encodeSampling(sampling: Sampling): GenerationConfig {
  const { topLogprobs = 0 } = sampling;
  const stop = sampling.stop?.filter((text) => text !== '').slice(0, maxStops) ?? [];
  return {
    temperature: sampling.temperature,
    topP: sampling.topP,
    // 0 turns it off, which equals leaving it out.
    topK: sampling.topK || undefined,
    frequencyPenalty: sampling.frequencyPenalty,
    presencePenalty: sampling.presencePenalty,
    seed: sampling.seed,
    stopSequences: stop.length > 0 ? stop : undefined,
    responseLogprobs: topLogprobs > 0 ? true : undefined,
    logprobs: topLogprobs > 0 ? topLogprobs : undefined,
  };
}

function encodeFormat(format: TextFormat): GenerationConfig {
  if (format.kind === 'text') return {};
  const responseMimeType = 'application/json';
  if (format.kind === 'json_object') return { responseMimeType };
  return { responseMimeType, responseJsonSchema: withoutDialect(format.schema) };
}

function describeFormat(format: TextFormat): string | undefined {
  if (format.kind === 'text') return undefined;
  const json = 'When you answer, answer with one JSON object and nothing else: no other text, no code fence.';
  return format.kind === 'json_object'
    ? json
    : `${json} It must fit this JSON schema:\n${JSON.stringify(format.schema)}`;
}

function encodeTier(call: UpstreamCall): ServiceTier | undefined {
  const tier = requestedTier(call);
  if (tier === 'default') return 'standard';
  return tier === 'flex' || tier === 'priority' ? tier : undefined;
}

/** The cloud platform takes the tier in a header. */
function tierHeader(call: UpstreamCall, host: GeminiHost): Record<string, string> {
  const tier = host === 'vertex' ? encodeTier(call) : undefined;
  return tier === 'flex' || tier === 'priority' ? { 'x-vertex-ai-llm-shared-request-type': tier } : {};
}

function camelCased(settings: object): object {
  const spell = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [spell(name), value]));
}
