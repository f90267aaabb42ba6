import { efforts } from '../../../core/efforts.ts';
import type { InferenceRequest, PluginEntry } from '../../../core/inference-request.ts';
import type { CanonicalChat, ReasoningControl } from '../../../core/request.ts';
import { createChecker } from '../../../schema/checker.ts';
import { contradictory, malformed, quote, quoteAll } from '../../../schema/fault.ts';
import { asList, asObject, rowFor } from '../../../schema/kind-table.ts';
import { refuseDeep } from '../../../schema/refuse-deep.ts';
import { isObject, type JsonObject } from '../../../util/json.ts';
import { namesUsed, readCommonSettings, readReasoning } from '../../gateway/common-settings.ts';
import {
  createSpeller,
  hidesFiles,
  lastModelOf,
  readModels,
  refusePresets,
  type Speller,
} from '../../gateway/models.ts';
import { compressionOf, readParsedFiles, readPlugins, withDefaultPlugins } from '../../gateway/plugins.ts';
import { readProvider } from '../../gateway/provider.ts';
import { betasOf, sessionOf, wantsMetadata, wantsStrict } from '../../gateway/request-headers.ts';
import { type ChoosableTools, readToolChoice } from '../../gateway/tools/tool-choice.ts';
import { toolKinds } from '../../gateway/tools/tool-kinds.ts';
import { GatheredTools } from '../../gateway/tools/tools.ts';
import { pickPresent, type WithoutNulls } from '../../gateway/without-nulls.ts';
import type { ReadContext } from '../../public-dialect.ts';
import { type ChatRequest, ChatRequestSchema, chatRequestFields } from './chat-request-schema.ts';
import { type ReadInputBody, readConversation } from './conversation.ts';
import { readSearchOptions, withSearchOptions } from './search-options.ts';
import { readPrediction, readSpeech } from './speech.ts';

/** Kinds that an answer of this dialect has no form for. */
const unanswerable: ReadonlySet<string> = new Set([
  'custom',
  'namespace',
  'local_shell',
  'shell',
  'apply_patch',
  'computer_use_preview',
  'service:tool_search',
  'tool_search',
  'service:apply_patch',
  'service:shell',
  'service:bash',
]);

/**
 * Reads `tools` (docs/spec/chat.md#tools): functions in either form, and the tools that a provider or the gateway runs.
 * @throws HeadgateError `invalid_request`, or `unprocessable` when two tools share a name.
 */
function readChatTools(value: unknown, spell: Speller): ChoosableTools {
  if (value === undefined || value === null) return { tools: [] };
  const gathered = new GatheredTools();
  for (const [index, entry] of asList(value, 'tools').entries()) {
    const path = `tools[${index}]`;
    const raw = asObject(entry, path);
    refuseDeep(raw, path);
    const { flat, place } = flatten(raw, path);
    if (typeof flat.type === 'string' && unanswerable.has(spell(flat.type))) {
      throw malformed(`${path}.type`, `"${flat.type}" is not served here; use POST /responses for it`);
    }
    if (flat.type === 'mcp' && flat.require_approval !== 'never') {
      const problem =
        'must be "never" here, because this dialect cannot ask for approval; use POST /responses';
      throw malformed(`${path}.require_approval`, problem);
    }
    refuseInheriting(flat, path, spell);
    gathered.add(rowFor(toolKinds, flat, place, spell).read(flat, place).tool, place);
  }
  return { tools: gathered.tools, serviceTools: gathered.serviceTools };
}

/** Answers of this dialect cannot say which calls are those of a worker. */
function refuseInheriting({ type, parameters }: JsonObject, path: string, spell: Speller): void {
  if (typeof type !== 'string' || spell(type) !== 'service:subagent' || !isObject(parameters)) return;
  const { inherit_functions: all, inherited_function_names: names } = parameters;
  if (all !== true && (names === undefined || names === null)) return;
  const name = all === true ? 'inherit_functions' : 'inherited_function_names';
  throw malformed(`${path}.parameters.${name}`, 'is not served here; use POST /responses for it');
}

/** The nested form of a function as the flat one, which is not strict unless it says so. */
function flatten(raw: JsonObject, path: string): { readonly flat: JsonObject; readonly place: string } {
  // The flat form is that of the Responses dialect, and means what it means there.
  if (raw.type !== 'function' || !isObject(raw.function)) return { flat: raw, place: path };
  const { name, description, parameters, strict } = raw.function;
  const cache_control = raw.cache_control ?? raw.function.cache_control;
  const flat = { type: 'function', name, description, parameters, strict: strict ?? false, cache_control };
  return { flat, place: `${path}.function` };
}

/** `tool_choice` in the form that all dialects share. */
function flattenToolChoice(value: unknown): unknown {
  if (!isObject(value)) return value;
  if (value.type === 'function' && isObject(value.function))
    return { type: 'function', name: value.function.name };
  if (value.type === 'allowed_tools' && isObject(value.allowed_tools)) {
    const { mode, tools } = value.allowed_tools;
    return {
      type: 'allowed_tools',
      mode,
      tools: Array.isArray(tools) ? tools.map(flattenToolChoice) : tools,
    };
  }
  return value;
}

/** Members that cannot be served, and what to do instead. */
const instead: Readonly<Record<string, string>> = {
  functions: 'use tools',
  function_call: 'use tool_choice',
};

/**
 * Refuses members that would change the answer and cannot be served. Null and empty arrays count as absent.
 * @throws HeadgateError `invalid_request` naming what to use instead.
 */
function refuseMembers(body: unknown): void {
  if (!isObject(body)) return;
  for (const name in instead) {
    const value = body[name];
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) continue;
    throw malformed(name, `is not served here; ${instead[name]}`);
  }
  if (body.n !== undefined && body.n !== null && body.n !== 1) {
    throw malformed('n', 'must be 1: a request has one answer; send the request n times for more');
  }
  if (body.prompt !== undefined && body.messages === undefined) {
    throw malformed('prompt', 'is not served here; put the text into messages');
  }
}

const mostStops = 4;

/** Refuses what no answer of this server keeps or has. @throws HeadgateError `invalid_request`. */
function refuseUnserved({ store, debug, stream, stop }: ChatRequest): void {
  if (store === true) throw malformed('store', 'must be false, answers are not stored');
  if (Array.isArray(stop) && stop.length > mostStops) {
    throw malformed('stop', `must hold at most ${mostStops} texts, got ${stop.length}`);
  }
  if (stop === '' || (Array.isArray(stop) && stop.includes(''))) throw malformed('stop', 'must not be empty');
  if (debug?.echo_upstream_body === true && stream !== true) {
    throw malformed('debug.echo_upstream_body', 'needs "stream": true');
  }
}

/** A checked request, and what its writer must know besides. */
export interface ReadChat {
  readonly request: InferenceRequest;
  /** Whether usage comes in a chunk of its own, behind the finishing one. */
  readonly separatesUsage: boolean;
  readonly wantsLogprobs: boolean;
}

type Body = WithoutNulls<ChatRequest>;

const checkBody = createChecker(ChatRequestSchema);

/**
 * Turns the parsed JSON body of `POST /chat/completions` into a checked request (docs/spec/chat.md#request).
 * @throws HeadgateError `invalid_request` (400) or `unprocessable` (422); the message begins with the path of the fault.
 */
export function readChatRequest(raw: unknown, context: ReadContext, readInput: ReadInputBody): ReadChat {
  refuseMembers(raw);
  const body = pickPresent(checkBody(raw, ''), chatRequestFields);
  refuseUnserved(body);
  refusePresets(raw, body.model);
  const named = readModels(body, createSpeller(context.aliases, '/'), context.defaultModel);
  const spellTool = createSpeller(context.aliases, ':');
  const nativeSearch = readSearchOptions(body.web_search_options);
  const listed = readChatTools(body.tools, spellTool);
  const offered = { ...listed, tools: withSearchOptions(listed.tools, nativeSearch) };
  const plugins = withDefaultPlugins(pluginsOf(body), context.pluginDefaults);
  const { said, altered, written } = readConversation(raw, body, context, readInput);
  const canonical: CanonicalChat = {
    kind: 'chat',
    ...readCommonSettings(body, context.hashEndUser),
    ...readLogprobs(body, context),
    ...said,
    ...offered,
    toolChoice: readToolChoice(flattenToolChoice(body.tool_choice), offered, spellTool).choice,
    reasoning: reasoningOf(body),
    includeEncryptedReasoning: true,
    ...readSpeech(body),
    prediction: readPrediction(body.prediction),
    ...compressionOf(plugins),
    betas: betasOf(context.headers),
  };
  checkBudget(canonical);
  const stream = body.stream ?? false;
  const request: InferenceRequest = {
    canonical,
    ...named,
    provider: readProvider(body.provider, body.route),
    plugins,
    stream,
    sessionId: sessionOf(body.session_id, context.headers),
    user: body.user,
    safetyIdentifier: body.safety_identifier,
    nativeSearch,
    hidesFiles: hidesFiles(context.headers.userAgent) || undefined,
    parsedFiles: readParsedFiles(...written),
    lastModel: lastModelOf(plugins, written[0]),
    wantsMetadata: wantsMetadata(context.headers),
    strict: wantsStrict(context.headers),
    echoUpstreamBody: stream && body.debug?.echo_upstream_body === true,
    altered,
    parameters: namesUsed(body, canonical),
  };
  const separatesUsage = body.stream_options?.include_usage === true;
  return { request, separatesUsage, wantsLogprobs: (canonical.sampling.topLogprobs ?? 0) > 0 };
}

/** `logprobs` alone asks for one alternative: the canonical request has no other word for it. */
function readLogprobs(body: Body, context: ReadContext): Pick<CanonicalChat, 'sampling'> {
  const { sampling } = readCommonSettings(body, context.hashEndUser);
  if (body.logprobs !== true || (sampling.topLogprobs ?? 0) > 0) return { sampling };
  return { sampling: { ...sampling, topLogprobs: 1 } };
}

/** `reasoning` wins over its older spellings. */
function reasoningOf(body: Body): ReasoningControl | undefined {
  if (body.reasoning !== undefined) {
    const { enabled, effort } = body.reasoning as { enabled?: unknown; effort?: unknown };
    if (enabled === false && typeof effort === 'string' && effort !== 'none') {
      throw contradictory('reasoning.enabled', `false contradicts the effort ${quote(effort)}`);
    }
    const { control } = readReasoning(body.reasoning);
    // Who asks to see thoughts gets the summary that some providers show in their place.
    return control?.exclude === false ? { summary: 'auto', ...control } : control;
  }
  const effort = effortOf(body.reasoning_effort);
  if (body.include_reasoning === true) return { effort, summary: 'auto' };
  const exclude = body.include_reasoning === false ? true : undefined;
  return effort === undefined && exclude === undefined ? undefined : { effort, exclude };
}

function effortOf(word: string | undefined): ReasoningControl['effort'] {
  if (word === undefined) return undefined;
  const effort = efforts.find((known) => known === word);
  if (effort !== undefined) return effort;
  throw malformed('reasoning_effort', `must be one of ${quoteAll(efforts)}, got ${quote(word)}`);
}

/** `transforms` is an older word for a plugin; an entry of that id wins. */
function pluginsOf({ plugins, transforms }: Body): readonly PluginEntry[] | undefined {
  const read = readPlugins(plugins);
  const id = 'context-compression';
  if (transforms === undefined || read?.some((entry) => entry.id === id)) return read;
  const [translated] = readPlugins([{ id, enabled: transforms.length > 0 }]) ?? [];
  return translated === undefined ? read : [...(read ?? []), translated];
}

function checkBudget({ reasoning, maxOutputTokens: limit }: CanonicalChat): void {
  const budget = reasoning?.maxTokens;
  if (budget === undefined || limit === undefined || budget < limit) return;
  throw contradictory(
    'reasoning.max_tokens',
    `must be below max_completion_tokens (${limit}), got ${budget}`,
  );
}
