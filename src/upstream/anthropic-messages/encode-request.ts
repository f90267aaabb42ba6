import type * as Wire from '@anthropic-ai/sdk/resources/messages';
import type { CacheControl, Sampling, TextFormat } from '../../core/request.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import type { WireRequest } from '../adapter.ts';
import { asksForStream } from '../asks-for-stream.ts';
import { supports } from '../supported-parameters.ts';
import { encodeCacheControl, encodeTexts } from './encode-content.ts';
import { type Conversation, encodeConversation } from './encode-conversation.ts';
import { encodeThinking } from './encode-thinking.ts';
import { encodeTools } from './encode-tools.ts';

/**
 * The provider call for a request in the Messages dialect. Parameters the dialect does not have, or the
 * endpoint is declared not to support, are left out.
 *
 * Quirk of the provider that is read: `defaultMaxTokens`, the output limit where neither caller nor
 * endpoint states one (4096).
 */
export function encodeRequest(call: UpstreamCall): WireRequest {
  const { request, endpoint } = call;
  const key = endpoint.provider.apiKey?.reveal();
  const { max_tokens, thinking, effort } = encodeThinking(call);
  const thinks = thinking !== undefined && thinking.type !== 'disabled';
  const conversation = encodeConversation(request.items);
  const format = encodeFormat(call);
  const system = [
    ...encodeTexts([{ kind: 'text', text: request.instructions ?? '' }]),
    ...conversation.system,
    ...encodeTexts([{ kind: 'text', text: formatInstruction(request.format, format !== undefined) }]),
  ];
  markEnd({ ...conversation, system }, request.cacheControl);
  const streamed = asksForStream(call);
  const body: Wire.MessageCreateParams & Samplers = {
    model: endpoint.upstreamModel,
    stream: streamed,
    max_tokens,
    system: system.length > 0 ? system : undefined,
    messages: conversation.messages,
    ...encodeTools(call, thinks),
    ...encodeSampling(call, thinks),
    thinking,
    output_config: format !== undefined || effort !== undefined ? { format, effort } : undefined,
    service_tier: encodeTier(call),
    metadata: request.endUser === undefined ? undefined : { user_id: request.endUser },
  };
  return {
    path: '/messages',
    headers: { 'anthropic-version': '2023-06-01', ...(key === undefined ? {} : { 'x-api-key': key }) },
    body: { ...body },
    streamed,
  };
}

type Params = Partial<Wire.MessageCreateParams>;

/** Samplers the dialect's current description no longer has; older models and look-alikes know them. */
interface Samplers {
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
}

/** The dialect refuses most samplers of a model that thinks. */
function encodeSampling({ request, endpoint }: UpstreamCall, thinks: boolean): Samplers & Params {
  const { sampling } = request;
  const { temperature, topP } = withoutNeutral(sampling);
  const stop = sampling.stop?.filter((text) => text.trim() !== '') ?? [];
  const topPFits = !thinks || (topP ?? 1) >= 0.95;
  return {
    temperature: thinks || !supports(endpoint, 'temperature') ? undefined : temperature,
    top_p: topPFits && supports(endpoint, 'top_p') ? topP : undefined,
    // 0 turns it off, which is the same as not asking for it.
    top_k: thinks || !supports(endpoint, 'top_k') ? undefined : sampling.topK || undefined,
    stop_sequences: stop.length > 0 && supports(endpoint, 'stop') ? stop : undefined,
  };
}

/** Newer models refuse both samplers together; where one of the two changes nothing it is left out. */
function withoutNeutral({ temperature, topP }: Sampling): Pick<Sampling, 'temperature' | 'topP'> {
  if (temperature === undefined || topP === undefined) {
    return { temperature: temperature === undefined ? undefined : Math.min(temperature, 1), topP };
  }
  if (topP === 1) return { temperature: Math.min(temperature, 1) };
  return temperature >= 1 ? { topP } : { temperature, topP };
}

function encodeFormat({ request, endpoint }: UpstreamCall): Wire.JSONOutputFormat | undefined {
  if (request.format.kind !== 'json_schema' || !supports(endpoint, 'structured_outputs')) return undefined;
  return { type: 'json_schema', schema: { ...request.format.schema } };
}

/** What the dialect cannot be told in a member is asked of the model in words. */
function formatInstruction(format: TextFormat, native: boolean): string {
  if (format.kind === 'text' || native) return '';
  const json = 'Answer with one JSON object and nothing else: no other text, no code fence.';
  if (format.kind === 'json_object') return json;
  return `${json} It must fit this JSON schema:\n${JSON.stringify(format.schema)}`;
}

function encodeTier({ request, endpoint }: UpstreamCall): Params['service_tier'] {
  if (endpoint.tier === 'priority') return 'auto';
  if (request.serviceTier === 'default') return 'standard_only';
  return request.serviceTier === 'auto' || request.serviceTier === 'priority' ? 'auto' : undefined;
}

/** Puts the request's own cache breakpoint on its last block that can carry one. */
function markEnd({ system, messages }: Conversation, control: CacheControl | undefined): void {
  if (control === undefined) return;
  const blocks = [...system, ...messages.flatMap((turn) => turn.content)];
  const last = blocks.findLast((block) => block.type !== 'thinking' && block.type !== 'redacted_thinking');
  if (last !== undefined) last.cache_control ??= encodeCacheControl(control);
}
