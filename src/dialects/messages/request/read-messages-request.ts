import { offeredTools } from '../../../core/client-tools.ts';
import { HeadgateError } from '../../../core/errors.ts';
import type { InferenceRequest } from '../../../core/inference-request.ts';
import type { CanonicalRequest, RequestedTier } from '../../../core/request.ts';
import { createChecker } from '../../../schema/checker.ts';
import { contradictory, malformed } from '../../../schema/fault.ts';
import { asList, asObject } from '../../../schema/kind-table.ts';
import { refuseDeep } from '../../../schema/refuse-deep.ts';
import { isObject, type JsonObject } from '../../../util/json.ts';
import { createSpeller } from '../../gateway/aliases.ts';
import { lastModelOf } from '../../gateway/last-model.ts';
import { readModels } from '../../gateway/models.ts';
import { readParsedFiles } from '../../gateway/parsed-files.ts';
import { compressionOf, readPlugins, withDefaultPlugins } from '../../gateway/plugins.ts';
import { refusePresets } from '../../gateway/presets.ts';
import { readProvider } from '../../gateway/provider.ts';
import { betasOf, sessionOf, wantsMetadata, wantsStrict } from '../../gateway/request-headers.ts';
import { readStopConditions } from '../../gateway/stop-conditions.ts';
import { pickPresent, type WithoutNulls } from '../../gateway/without-nulls.ts';
import type { ReadContext } from '../../public-dialect.ts';
import { extrasOf } from './extras.ts';
import {
  type MessagesRequest,
  MessagesRequestSchema,
  messagesRequestFields,
} from './messages-request-schema.ts';
import { namesUsed, settingNames } from './names.ts';
import { readMessages } from './read-messages.ts';
import { type ReadReasoning, readReasoning } from './read-reasoning.ts';
import { readSystem } from './read-system.ts';
import { readToolChoice, readTools } from './read-tools.ts';

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
  const canonical: CanonicalRequest = {
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
function limitOf({ max_tokens: limit }: Body): Pick<CanonicalRequest, 'maxOutputTokens' | 'warmsCache'> {
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

function samplingOf(body: Body): CanonicalRequest['sampling'] {
  return {
    temperature: body.temperature,
    topP: body.top_p,
    topK: body.top_k,
    ...(body.stop_sequences?.length && { stop: body.stop_sequences }),
  };
}

/** What records keep of the name of an end user. */
const userIdLimit = 256;

function readFormat({ output_config, output_format }: Body): CanonicalRequest['format'] {
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
