import type * as Wire from '@anthropic-ai/sdk/resources/messages';
import { breakpointOfTool } from '../../core/breakpoints.ts';
import type { Effort } from '../../core/efforts.ts';
import { noRoomForBudget, reasoningBudget, reasoningEffort } from '../../core/reasoning-effort.ts';
import type {
  CacheControl,
  FunctionTool,
  HostedTool,
  Item,
  ReasoningControl,
  Tool,
  ToolChoice,
} from '../../core/request.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import type { JsonObject } from '../../util/json.ts';
import type { WireRequest } from '../adapter.ts';
import { asksForStream, requestedTier, supports } from '../call-facts.ts';
import { claudeTraits } from '../claude-model.ts';
import { claudeReasoningOf, fitSamplers } from '../claude-support.ts';
import { strictFunctions } from '../enforced-schemas.ts';
import { fitOutputSchema } from '../fit-output-schema.ts';
import { refusal } from '../refusal.ts';
import {
  type Conversation,
  encodeCacheControl,
  encodeConversation,
  encodeTexts,
  type MarkedTool,
  settleBreakpoints,
} from './encode-conversation.ts';
import { type EncodedHostedTools, encodeHostedTools, hostedNames } from './encode-hosted-tools.ts';
import { citesDocuments, type MessagesHosting } from './quirks.ts';

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

const defaultMaxTokens = 4096;

/** The output limit and the reasoning settings. */
interface EncodedThinking {
  readonly max_tokens: number;
  readonly thinking?: Wire.ThinkingConfigParam;
  /** For `output_config`. */
  readonly effort?: Wire.OutputConfig['effort'];
}

/**
 * The output limit, which the dialect requires, and the reasoning within it (docs/spec/requests.md#reasoning). Models
 * without budgets (`supportsMaxTokens` false, or known by name) get an effort; models that accept both get what the
 * caller set. A turn that another model began continues without a budget.
 * @throws HeadgateError `unprocessable` when the caller's output limit leaves no room for the reasoning.
 */
function encodeThinking(call: UpstreamCall): EncodedThinking {
  const { request, endpoint } = call;
  if (request.warmsCache === true) return { max_tokens: 0 };
  const limit = request.maxOutputTokens ?? endpoint.maxCompletionTokens ?? fallbackLimit(call);
  const control = supports(endpoint, 'reasoning', 'reasoning_effort') ? request.reasoning : undefined;
  if (control === undefined) return { max_tokens: limit };
  const setting = claudeReasoningOf(call, control);
  if (setting === 'stopped') return unthinking(call, limit);
  if (setting === 'budget') return withBudget(call, control, limit);
  const effort = reasoningEffort(control, limit, effortsOf(call));
  if (effort === undefined || effort === 'none') return { max_tokens: limit };
  // By default, models with efforts hide their thoughts.
  const display = control.exclude === true ? 'omitted' : 'summarized';
  return { max_tokens: limit, thinking: { type: 'adaptive', display }, effort: encodeEffort(effort) };
}

/** Models that always think get the lowest setting. */
function unthinking({ endpoint }: UpstreamCall, max_tokens: number): EncodedThinking {
  const traits = claudeTraits(endpoint.upstreamModel);
  const type = traits === undefined ? 'disabled' : traits.unthinking;
  return type === undefined ? { max_tokens, effort: 'low' } : { max_tokens, thinking: { type } };
}

function effortsOf({ model, endpoint }: UpstreamCall): readonly Effort[] | undefined {
  return model.reasoning?.supportedEfforts ?? claudeTraits(endpoint.upstreamModel)?.efforts;
}

function withBudget(call: UpstreamCall, control: ReasoningControl, limit: number): EncodedThinking {
  const budget = reasoningBudget(control, limit);
  if (budget === undefined) return { max_tokens: limit };
  const max_tokens = roomFor(budget, limit, call);
  const display = control.exclude === true ? 'omitted' : undefined;
  return { max_tokens, thinking: { type: 'enabled', budget_tokens: budget, display } };
}

/** The output limit, raised above the budget where the caller set none. */
function roomFor(budget: number, limit: number, call: UpstreamCall): number {
  if (budget < limit) return limit;
  const { request, endpoint } = call;
  const raised = Math.min(budget + fallbackLimit(call), endpoint.maxCompletionTokens ?? Infinity);
  if (request.maxOutputTokens === undefined && raised > budget) return raised;
  throw noRoomForBudget(limit, budget);
}

function fallbackLimit({ endpoint }: UpstreamCall): number {
  const stated = endpoint.provider.quirks.defaultMaxTokens;
  return typeof stated === 'number' ? stated : defaultMaxTokens;
}

function encodeEffort(effort: Exclude<Effort, 'none'>): Wire.OutputConfig['effort'] {
  return effort === 'minimal' ? 'low' : effort;
}

/** The tool members of a call, and what hosted tools add elsewhere. */
interface EncodedTools {
  readonly members: {
    readonly tools?: readonly MarkedTool[];
    readonly tool_choice?: Wire.ToolChoice;
    readonly mcp_servers?: readonly object[];
    readonly container?: string;
  };
  readonly uploads: readonly string[];
  readonly betas: readonly string[];
}

const none: EncodedTools = { members: {}, uploads: [], betas: [] };

/**
 * Encodes tools and the tool choice.
 * @param thinking Whether the model thinks before it answers.
 * @throws HeadgateError `upstream_invalid_request` for tools or settings that the dialect does not have.
 */
function encodeTools({ request, endpoint }: UpstreamCall, thinking: boolean): EncodedTools {
  if (request.tools.length === 0 || !supports(endpoint, 'tools')) return none;
  // Older models refuse `strict`, so it is set only where the endpoint is known to support it.
  const canBeStrict = endpoint.supportedParameters?.has('structured_outputs') === true;
  const atMostOneCall = request.parallelToolCalls === false && supports(endpoint, 'parallel_tool_calls');
  // The dialect refuses forced calls of a thinking model. With a free choice it may still call.
  const free = thinking || claudeTraits(endpoint.upstreamModel)?.forcedCalls === false;
  const choice = free ? freed(request.toolChoice) : request.toolChoice;
  const hosted = encodeHostedTools(
    request.tools.filter((tool): tool is HostedTool => tool.kind === 'hosted'),
    endpoint.provider,
    request.maxToolCalls,
  );
  return {
    members: {
      tools: encodeInOrder(request.tools, hosted, canBeStrict),
      tool_choice: supports(endpoint, 'tool_choice') ? encodeChoice(choice, atMostOneCall) : undefined,
      mcp_servers: hosted.mcpServers.length > 0 ? hosted.mcpServers : undefined,
      container: hosted.container,
    },
    uploads: hosted.uploads,
    betas: hosted.betas,
  };
}

/** Keeps the request's order, so that cached prefixes stay valid. */
function encodeInOrder(
  tools: readonly Tool[],
  hosted: EncodedHostedTools,
  canBeStrict: boolean,
): MarkedTool[] {
  const encoded = hosted.tools.values();
  const strict = canBeStrict ? strictFunctions(tools) : undefined;
  return tools.map((tool) => {
    if (tool.kind === 'function')
      return withOwnMark(encodeFunction(tool, strict?.has(tool) === true), breakpointOfTool(tool));
    const next = tool.kind === 'hosted' ? encoded.next().value : undefined;
    if (next === undefined) throw refusal(`no ${tool.kind} tools`);
    return next;
  });
}

/** A tool whose mark may be changed without changing the request's. */
function withOwnMark(tool: Wire.Tool, mark: CacheControl | undefined): MarkedTool {
  return mark === undefined ? tool : { ...tool, cache_control: encodeCacheControl(mark) };
}

function encodeFunction(
  { name, description, parameters, extra }: FunctionTool,
  isStrict: boolean,
): Wire.Tool {
  // Kinds the model knows by their type go out as the caller wrote them.
  if (extra?.type !== undefined) return extra as unknown as Wire.Tool;
  const schema = { type: 'object', properties: {}, ...parameters } as const;
  if (!isStrict) return { ...extra, name, description, input_schema: schema };
  return {
    ...extra,
    name,
    description,
    input_schema: { ...fitOutputSchema(schema), type: 'object' },
    strict: true,
  };
}

function freed(choice: ToolChoice): ToolChoice {
  return choice.kind === 'none' ? choice : { kind: 'auto' };
}

function encodeChoice(choice: ToolChoice, atMostOneCall: boolean): Wire.ToolChoice {
  const disable_parallel_tool_use = atMostOneCall ? true : undefined;
  const name = nameOf(choice);
  if (choice.kind === 'none') return { type: 'none' };
  if (name !== undefined) return { type: 'tool', name, disable_parallel_tool_use };
  const forced = choice.kind === 'allowed' ? choice.mode === 'required' : choice.kind !== 'auto';
  return { type: forced ? 'any' : 'auto', disable_parallel_tool_use };
}

function nameOf(choice: ToolChoice): string | undefined {
  if (choice.kind === 'tool') return choice.name;
  return choice.kind === 'hosted' ? hostedNames[choice.tool] : undefined;
}
