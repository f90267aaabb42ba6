import { offeredTools } from '../../../core/client-tools.ts';
import { HeadgateError } from '../../../core/errors.ts';
import type { InferenceRequest } from '../../../core/inference-request.ts';
import type {
  CanonicalChat,
  MessageItem,
  MessagesExtra,
  ReasoningControl,
  RequestedTier,
} from '../../../core/request.ts';
import { createChecker } from '../../../schema/checker.ts';
import { contradictory, malformed } from '../../../schema/fault.ts';
import { asList, asObject } from '../../../schema/kind-table.ts';
import { refuseDeep } from '../../../schema/refuse-deep.ts';
import { isObject, type JsonObject } from '../../../util/json.ts';
import { readStopConditions } from '../../gateway/common-settings.ts';
import { createSpeller, lastModelOf, readModels, refusePresets } from '../../gateway/models.ts';
import { compressionOf, readParsedFiles, readPlugins, withDefaultPlugins } from '../../gateway/plugins.ts';
import { readProvider } from '../../gateway/provider.ts';
import { betasOf, sessionOf, wantsMetadata, wantsStrict } from '../../gateway/request-headers.ts';
import { pickPresent, type WithoutNulls } from '../../gateway/without-nulls.ts';
import type { ReadContext } from '../../public-dialect.ts';
import {
  type MessagesRequest,
  MessagesRequestSchema,
  messagesRequestFields,
} from './messages-request-schema.ts';
import { blocksOf, readContentBlock } from './read-content.ts';
import { readMessages } from './read-messages.ts';
import { readToolChoice, readTools } from './read-tools.ts';

const known: ReadonlySet<string> = new Set(messagesRequestFields);

/** Names that routing and billing depend on. They are never extras, even where a client sends them. */
const reserved: ReadonlySet<string> = new Set([
  'model',
  'stream',
  'models',
  'provider',
  'plugins',
  'user',
  'metadata',
  'service_tier',
  'debug',
  'trace',
  'preset',
  'session_id',
]);

/**
 * The members of a body that only providers of this format understand (docs/spec/messages.md#extras): unknown ones, and
 * known ones without a canonical form. Undefined without any.
 * @param attribution The system block that names the request for billing.
 */
function extrasOf(
  raw: JsonObject,
  body: WithoutNulls<MessagesRequest>,
  attribution: string | undefined,
): MessagesExtra | undefined {
  const members: Record<string, unknown> = {};
  for (const key in raw) {
    if (known.has(key) || reserved.has(key) || raw[key] === null || raw[key] === undefined) continue;
    refuseDeep(raw[key], key);
    define(members, key, raw[key]);
  }
  if (body.context_management !== undefined) {
    refuseDeep(body.context_management, 'context_management');
    members.context_management = body.context_management;
  }
  const taskBudget = body.output_config?.task_budget ?? undefined;
  if (taskBudget === undefined && attribution === undefined && Object.keys(members).length === 0) {
    return undefined;
  }
  return { members, attribution, taskBudget };
}

/** A key named __proto__ stays an ordinary key. */
function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** What this format calls settings, by their names in bodies of `POST /responses`. */
const settingNames: Readonly<Record<string, string>> = {
  'reasoning.effort': 'output_config.effort',
  'reasoning.max_tokens': 'thinking.budget_tokens',
  'text.format': 'output_config.format',
  stop: 'stop_sequences',
  parallel_tool_calls: 'tool_choice.disable_parallel_tool_use',
  user: 'metadata.user_id',
};

/** The names of docs/spec/routing.md#parameters that a request uses. */
function namesUsed(
  body: WithoutNulls<MessagesRequest>,
  { format, sampling, parallelToolCalls }: CanonicalChat,
  offersTools: boolean,
): readonly string[] {
  const uses: readonly (readonly [string, boolean])[] = [
    ['temperature', body.temperature !== undefined],
    ['top_p', body.top_p !== undefined],
    ['top_k', body.top_k !== undefined],
    ['parallel_tool_calls', parallelToolCalls !== undefined],
    ['max_tokens', body.max_tokens !== undefined],
    ['stop', sampling.stop !== undefined],
    ['tools', offersTools],
    ['tool_choice', offersTools && body.tool_choice !== undefined],
    ['structured_outputs', format.kind === 'json_schema'],
    // Agents ask every model to think, so `require_parameters` does not count it against one that cannot.
  ];
  return uses.flatMap(([name, isUsed]) => (isUsed ? name : []));
}

/** What a block of one client begins with that changes with each request. */
const attribution = 'x-anthropic-billing-header:';

/** The system text, and the block that only providers of this format may see. */
interface ReadSystem {
  readonly item?: MessageItem;
  /** A first block that names the request for billing; it would defeat every prefix cache elsewhere. */
  readonly attribution?: string;
}

/** Reads `system`: one part for each block, in order. @throws HeadgateError `invalid_request`. */
function readSystem(value: unknown): ReadSystem {
  if (value === undefined || value === null || value === '') return {};
  const parts = blocksOf(value, 'system').map(([block, path]) => readContentBlock(block, path));
  const [first] = parts;
  const named = first?.kind === 'text' && first.text.startsWith(attribution) ? first.text : undefined;
  const content = named === undefined ? parts : parts.slice(1);
  return {
    ...(content.length > 0 && {
      item: { kind: 'message', role: 'system', content, path: 'system' } as const,
    }),
    ...(named !== undefined && { attribution: named }),
  };
}

/** A checked request, and what its answer depends on besides. */
export interface ReadMessagesRequest {
  readonly request: InferenceRequest;
  readonly answer: AnswerShape;
}

/** What of a request shapes its answer. */
export interface AnswerShape {
  /** Whether thoughts are kept from the caller altogether. */
  readonly hidesThoughts: boolean;
  /** Whether only their seals are shown. */
  readonly omitsThoughts: boolean;
  /** Whether edits of the context were asked for. */
  readonly managesContext: boolean;
  /** The model the answer names in place of the one that answers. */
  readonly model?: string;
}

type Body = WithoutNulls<MessagesRequest>;

const checkBody = createChecker(MessagesRequestSchema);

/**
 * Turns the parsed JSON body of `POST /messages` into a checked request (docs/spec/messages.md#request).
 * @throws HeadgateError `invalid_request` (400) or `unprocessable` (422); the message begins with the path of the
 * fault and never repeats a prompt.
 */
export function readMessagesRequest(raw: unknown, context: ReadContext): ReadMessagesRequest {
  const body = pickPresent(checkBody(raw, ''), messagesRequestFields);
  const stopWhen = readStopConditions(body.stop_server_tools_when);
  refusePresets(raw, body.model);
  refuseThread(body.thread);
  if (body.mcp_servers?.length) {
    throw malformed(
      'mcp_servers',
      'is not available here, because no answer of this format can show its calls',
    );
  }
  const named = readModels(
    { model: body.model, models: fallbacksOf(body) },
    createSpeller(context.aliases, '/'),
  );
  const betas = betasOf(context.headers);
  const interleaved = betas?.anthropic?.some((word) => word.startsWith('interleaved-thinking')) ?? false;
  const reasoning = readReasoning(body, interleaved);
  const offered = readTools(body.tools, createSpeller(context.aliases, ':'));
  const toolChoice = readToolChoice(body.tool_choice, offered);
  const system = readSystem(body.system);
  const { items: messages, altered } = readMessages(body.messages, context.carriers);
  const extra = extrasOf(isObject(raw) ? raw : {}, body, system.attribution);
  const endUser = body.user ?? body.metadata?.user_id ?? undefined;
  const plugins = withDefaultPlugins(readPlugins(body.plugins), context.pluginDefaults);
  const canonical: CanonicalChat = {
    kind: 'chat',
    items: system.item === undefined ? messages : [system.item, ...messages],
    ...offered,
    toolChoice,
    ...(stopWhen !== undefined && { stopWhen }),
    ...(body.tool_choice?.disable_parallel_tool_use === true && { parallelToolCalls: false }),
    ...limitOf(body),
    sampling: samplingOf(body),
    format: readFormat(body),
    reasoning: reasoning.control,
    includeEncryptedReasoning: true,
    outputModalities: ['text'],
    serviceTier: readTier(body),
    ...(body.cache_control && { cacheControl: { ttl: body.cache_control.ttl ?? '5m' } }),
    ...compressionOf(plugins),
    betas,
    ...(extra !== undefined && { extra }),
    names: settingNames,
    endUser: endUser ? context.hashEndUser(endUser) : undefined,
  };
  const stream = body.stream ?? false;
  const request: InferenceRequest = {
    canonical,
    ...named,
    provider: readProvider(body.provider, body.route),
    plugins,
    stream,
    sessionId: sessionOf(body.session_id, context.headers) ?? context.headers.clientSession,
    user: body.user ?? body.metadata?.user_id?.slice(0, userIdLimit),
    parsedFiles: isObject(raw) ? readParsedFiles(raw.messages, 'messages') : undefined,
    lastModel: lastModelOf(plugins, isObject(raw) ? raw.messages : undefined),
    wantsMetadata: wantsMetadata(context.headers),
    strict: wantsStrict(context.headers),
    echoUpstreamBody: false,
    ...(altered.length > 0 && { altered }),
    parameters: namesUsed(body, canonical, offeredTools(canonical).length > 0),
  };
  return { request, answer: shapeOf(body, reasoning, context) };
}

/** Zero asks for no output, only for the prefix to be cached. */
function limitOf({ max_tokens: limit }: Body): Pick<CanonicalChat, 'maxOutputTokens' | 'warmsCache'> {
  return limit === 0 ? { warmsCache: true } : { maxOutputTokens: limit };
}

function shapeOf(body: Body, { control, hidden }: ReadReasoning, { echoModel }: ReadContext): AnswerShape {
  return {
    hidesThoughts: hidden,
    omitsThoughts: control?.exclude === true,
    managesContext: body.context_management !== undefined,
    ...(echoModel === true && { model: body.model }),
  };
}

function samplingOf(body: Body): CanonicalChat['sampling'] {
  return {
    temperature: body.temperature,
    topP: body.top_p,
    topK: body.top_k,
    ...(body.stop_sequences?.length && { stop: body.stop_sequences }),
  };
}

/** What records keep of the name of an end user. */
const userIdLimit = 256;

function readFormat({ output_config, output_format }: Body): CanonicalChat['format'] {
  const format = output_config?.format ?? output_format;
  if (!format) return { kind: 'text' };
  const path = output_config?.format ? 'output_config.format.schema' : 'output_format.schema';
  refuseDeep(format.schema, path);
  return { kind: 'json_schema', name: 'response', schema: format.schema, strict: true };
}

function readTier({ service_tier, speed }: Body): RequestedTier | undefined {
  const tier =
    service_tier === 'standard_only' ? 'default' : service_tier === 'fast' ? 'priority' : service_tier;
  if (speed !== 'fast') return tier;
  if (tier === undefined || tier === 'auto' || tier === 'priority') return 'priority';
  throw contradictory('speed', `"fast" contradicts the service_tier "${service_tier}"`);
}

/** @throws HeadgateError `invalid_request`: a thread is a conversation kept by the server (docs/spec/messages.md#threads). */
function refuseThread(thread: unknown): void {
  if (thread === undefined) return;
  const message = 'thread: conversations are not kept here; leave it out and send all messages each time';
  throw new HeadgateError('invalid_request', message, { metadata: { unsupported: ['thread'] } });
}

/** `models`, or `fallbacks` in its place. @throws HeadgateError `invalid_request`. */
function fallbacksOf({ fallbacks, models }: Body): readonly string[] | undefined {
  if (fallbacks === undefined || fallbacks === 'default') return models;
  const entries = asList(fallbacks, 'fallbacks');
  if (entries.length === 0) return models;
  if (entries.length > 3) throw malformed('fallbacks', `must have at most 3 entries, got ${entries.length}`);
  if (models?.length) throw malformed('fallbacks', 'must not be sent beside models');
  return entries.map((entry, index) => {
    const path = `fallbacks[${index}]`;
    const { model, ...others }: JsonObject = asObject(entry, path);
    const [other] = Object.keys(others);
    if (other !== undefined) throw malformed(`${path}.${other}`, 'unknown field, allowed is "model"');
    if (typeof model !== 'string' || model === '') throw malformed(`${path}.model`, 'expected a string');
    return model;
  });
}

/** How the model should reason, and whether its thoughts are shown. */
interface ReadReasoning {
  readonly control?: ReasoningControl;
  readonly hidden: boolean;
}

/**
 * Reads `thinking` and `output_config.effort` (docs/spec/messages.md#reasoning). An adaptive model without an effort
 * gets `high`.
 * @param interleaved Whether a beta word lets the budget exceed the output limit.
 * @throws HeadgateError `invalid_request`, or `unprocessable` for a budget that leaves no room for an answer.
 */
function readReasoning(body: WithoutNulls<MessagesRequest>, interleaved: boolean): ReadReasoning {
  const effort = body.output_config?.effort ?? undefined;
  const { thinking } = body;
  if (thinking === undefined) return { hidden: false, ...(effort && { control: { effort } }) };
  // Who does not want thoughts left out sees them, which some providers show only as a summary that was asked for.
  const shown = thinking.display === 'omitted' ? { exclude: true } : { summary: 'auto' as const };
  switch (thinking.type) {
    case 'disabled':
      return { control: { effort: 'none' }, hidden: true };
    case 'adaptive':
      return { control: { effort: effort ?? 'high', ...shown }, hidden: false };
    case 'enabled':
      return { control: { maxTokens: budgetOf(body, interleaved), effort, ...shown }, hidden: false };
  }
}

function budgetOf({ thinking, max_tokens }: WithoutNulls<MessagesRequest>, interleaved: boolean): number {
  const budget = thinking?.budget_tokens ?? undefined;
  if (budget === undefined) {
    throw malformed('thinking.budget_tokens', 'is required when thinking is enabled, expected an integer');
  }
  if (!interleaved && max_tokens !== undefined && budget >= max_tokens) {
    throw contradictory('thinking.budget_tokens', `must be below max_tokens (${max_tokens}), got ${budget}`);
  }
  return budget;
}
