import type * as Wire from '@anthropic-ai/sdk/resources/messages';
import type { Item } from '../../core/request.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import type { JsonObject } from '../../util/json.ts';
import type { WireRequest } from '../adapter.ts';
import { asksForStream } from '../asks-for-stream.ts';
import { claudeTraits } from '../claude-model.ts';
import { fitSamplers } from '../claude-support.ts';
import { fitOutputSchema } from '../fit-output-schema.ts';
import { requestedTier } from '../requested-tier.ts';
import { supports } from '../supported-parameters.ts';
import { settleBreakpoints } from './cache-breakpoints.ts';
import { encodeTexts } from './encode-content.ts';
import { type Conversation, encodeConversation } from './encode-conversation.ts';
import { encodeThinking } from './encode-thinking.ts';
import { type EncodedTools, encodeTools } from './encode-tools.ts';
import type { MessagesHosting } from './hosting.ts';
import { citesDocuments } from './quirks.ts';

/**
 * Encodes a request as a call in the Messages dialect. Omits parameters that the dialect does not have or the
 * endpoint is declared not to support.
 *
 * Quirk read besides those of `quirks.ts`: `defaultMaxTokens`, the output limit where neither caller nor endpoint
 * states one (4096).
 * @throws HeadgateError `upstream_invalid_request` for what the dialect cannot express, `unprocessable` when the
 * output limit leaves no room for the reasoning.
 */
export function encodeRequest(call: UpstreamCall, hosting: MessagesHosting): WireRequest {
  const { request, endpoint } = call;
  const { max_tokens, thinking: requested, effort } = encodeThinking(call);
  const thinks = requested !== undefined && requested.type !== 'disabled';
  const tools = encodeTools(call, thinks);
  const format = encodeFormat(call);
  const conversation = encodeTurns(call, tools, format === undefined);
  const { system, messages } = conversation;
  const drops = hosting.dropsThoughts && mayBindThoughts(call, conversation);
  const thinking = drops ? droppingThoughts(requested) : requested;
  const streamed = asksForStream(call);
  const cache_control = settleBreakpoints(
    tools.members.tools ?? [],
    conversation,
    request.cacheControl,
    hosting.marksEnd,
  );
  const body = {
    ...request.extra?.members,
    model: endpoint.upstreamModel,
    stream: streamed,
    max_tokens,
    cache_control,
    system: system.length > 0 ? system : undefined,
    messages,
    ...tools.members,
    ...encodeSampling(call, thinks),
    thinking,
    output_config: encodeOutput(format, effort, request.extra?.taskBudget),
    service_tier: encodeTier(call),
    metadata: request.endUser === undefined ? undefined : { user_id: request.endUser },
  };
  const binding = thinking !== requested ? ['thinking-binding-controls-2026-08-01'] : [];
  const wished = request.betas?.anthropic ?? [];
  return hosting.toWire(call, body, [...betasOf(request.items, tools), ...binding, ...wished]);
}

/** Whether the model may refuse a returned thought, because the caller may have changed what precedes it. */
function mayBindThoughts({ endpoint }: UpstreamCall, { messages }: Conversation): boolean {
  if (claudeTraits(endpoint.upstreamModel)?.bindsThoughts !== true) return false;
  return messages.some(({ content }) => content.some(({ type }) => /^(redacted_)?thinking$/.test(type)));
}

/**
 * Drops thoughts that no longer fit (docs/spec/requests.md#sealed-reasoning: never fail). Without thinking the beta is
 * not requested.
 */
function droppingThoughts(
  thinking: Wire.ThinkingConfigParam = { type: 'adaptive' },
): Wire.ThinkingConfigParam {
  if (thinking.type !== 'adaptive') return thinking;
  return Object.assign({ block_binding: { prefix_mismatch_behavior: 'drop_block' } }, thinking);
}

type Params = Partial<Wire.MessageCreateParams>;

/**
 * Samplers that the dialect's current description no longer lists; older models and compatible providers know them.
 */
interface Samplers {
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
}

/** @param mayCite Citations and an answer format exclude each other. */
function encodeTurns(
  { request, endpoint }: UpstreamCall,
  tools: EncodedTools,
  mayCite: boolean,
): Conversation {
  const cites = mayCite && citesDocuments(endpoint.provider);
  const traits = claudeTraits(endpoint.upstreamModel) ?? { prefill: true, systemTurns: false };
  const conversation = encodeConversation(request.items, cites, traits);
  const instructions = encodeTexts([{ kind: 'text', text: request.instructions ?? '' }]);
  const lastOfUser = conversation.messages.findLast(({ role }) => role === 'user');
  for (const file_id of tools.uploads) lastOfUser?.content.push({ type: 'container_upload', file_id });
  const { attribution } = request.extra ?? {};
  const named = attribution === undefined ? [] : encodeTexts([{ kind: 'text', text: attribution }]);
  return { ...conversation, system: [...named, ...instructions, ...conversation.system] };
}

/** Uploaded files still need a beta header, wherever they occur. */
function betasOf(items: readonly Item[], { betas, uploads }: EncodedTools): readonly string[] {
  return uploads.length > 0 || items.some(namesFile) ? [...betas, 'files-api-2025-04-14'] : betas;
}

function namesFile(item: Item): boolean {
  const parts = item.kind === 'message' ? item.content : item.kind === 'call_output' ? item.output : [];
  return parts.some((part) => 'fileId' in part && part.fileId !== undefined);
}

function encodeOutput(
  format: Wire.JSONOutputFormat | undefined,
  effort: Wire.OutputConfig['effort'],
  task_budget: JsonObject | undefined,
): object | undefined {
  const isUsed = format !== undefined || effort !== undefined || task_budget !== undefined;
  return isUsed ? { format, effort, task_budget } : undefined;
}

/** The dialect refuses most samplers of a thinking model, and newer models refuse all of them. */
function encodeSampling({ request, endpoint }: UpstreamCall, thinks: boolean): Samplers & Params {
  const { sampling } = request;
  const { temperature, topP } = fitSamplers(sampling, endpoint.upstreamModel);
  const stop = sampling.stop?.filter((text) => text.trim() !== '') ?? [];
  const stop_sequences = stop.length > 0 && supports(endpoint, 'stop') ? stop : undefined;
  if (claudeTraits(endpoint.upstreamModel)?.samplers === false) return { stop_sequences };
  const topPFits = !thinks || (topP ?? 1) >= 0.95;
  return {
    temperature: thinks || !supports(endpoint, 'temperature') ? undefined : temperature,
    top_p: topPFits && supports(endpoint, 'top_p') ? topP : undefined,
    // 0 turns it off, which equals leaving it out.
    top_k: thinks || !supports(endpoint, 'top_k') ? undefined : sampling.topK || undefined,
    stop_sequences,
  };
}

function encodeFormat({ request }: UpstreamCall): Wire.JSONOutputFormat | undefined {
  if (request.format.kind !== 'json_schema') return undefined;
  return { type: 'json_schema', schema: fitOutputSchema(request.format.schema) };
}

function encodeTier(call: UpstreamCall): Params['service_tier'] {
  const tier = requestedTier(call);
  if (tier === 'default') return 'standard_only';
  return tier === 'auto' || tier === 'priority' ? 'auto' : undefined;
}
