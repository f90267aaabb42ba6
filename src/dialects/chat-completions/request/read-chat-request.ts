import { efforts } from '../../../core/efforts.ts';
import type { InferenceRequest, PluginEntry } from '../../../core/inference-request.ts';
import type { CanonicalRequest, ReasoningControl } from '../../../core/request.ts';
import { createChecker } from '../../../schema/checker.ts';
import { contradictory, malformed, quote, quoteAll } from '../../../schema/fault.ts';
import { createSpeller } from '../../gateway/aliases.ts';
import { hidesFiles } from '../../gateway/closed-clients.ts';
import { readCommonSettings } from '../../gateway/common-settings.ts';
import { lastModelOf } from '../../gateway/last-model.ts';
import { readModels } from '../../gateway/models.ts';
import { namesUsed } from '../../gateway/parameters.ts';
import { readParsedFiles } from '../../gateway/parsed-files.ts';
import { compressionOf, readPlugins, withDefaultPlugins } from '../../gateway/plugins.ts';
import { refusePresets } from '../../gateway/presets.ts';
import { readProvider } from '../../gateway/provider.ts';
import { readReasoning } from '../../gateway/reasoning.ts';
import { betasOf, sessionOf, wantsMetadata, wantsStrict } from '../../gateway/request-headers.ts';
import { readToolChoice } from '../../gateway/tools/tool-choice.ts';
import { pickPresent, type WithoutNulls } from '../../gateway/without-nulls.ts';
import type { ReadContext } from '../../public-dialect.ts';
import { type ChatRequest, ChatRequestSchema, chatRequestFields } from './chat-request-schema.ts';
import { type ReadInputBody, readConversation } from './conversation.ts';
import { refuseMembers, refuseUnserved } from './refused-members.ts';
import { readSearchOptions, withSearchOptions } from './search-options.ts';
import { readPrediction, readSpeech } from './speech.ts';
import { flattenToolChoice, readChatTools } from './tools.ts';

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
  const canonical: CanonicalRequest = {
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
function readLogprobs(body: Body, context: ReadContext): Pick<CanonicalRequest, 'sampling'> {
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

function checkBudget({ reasoning, maxOutputTokens: limit }: CanonicalRequest): void {
  const budget = reasoning?.maxTokens;
  if (budget === undefined || limit === undefined || budget < limit) return;
  throw contradictory(
    'reasoning.max_tokens',
    `must be below max_completion_tokens (${limit}), got ${budget}`,
  );
}
