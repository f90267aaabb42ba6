import { offeredTools } from '../../../core/client-tools.ts';
import type { InferenceRequest } from '../../../core/inference-request.ts';
import type { CanonicalChat, Item, ServiceTool } from '../../../core/request.ts';
import { createChecker } from '../../../schema/checker.ts';
import { contradictory, malformed } from '../../../schema/fault.ts';
import { isObject, type JsonObject } from '../../../util/json.ts';
import type { ResponseEcho } from '../../gateway/assembly/response.ts';
import {
  namesUsed,
  readCacheRules,
  readCommonSettings,
  readReasoning,
  toolCallLimit,
} from '../../gateway/common-settings.ts';
import { createSpeller, hidesFiles, lastModelOf, readModels, refusePresets } from '../../gateway/models.ts';
import { compressionOf, readParsedFiles, readPlugins, withDefaultPlugins } from '../../gateway/plugins.ts';
import { readProvider } from '../../gateway/provider.ts';
import { betasOf, sessionOf, wantsMetadata, wantsStrict } from '../../gateway/request-headers.ts';
import { readToolChoice } from '../../gateway/tools/tool-choice.ts';
import { readTools, refuseUnfindable } from '../../gateway/tools/tools.ts';
import { pickPresent, type WithoutNulls } from '../../gateway/without-nulls.ts';
import type { ReadContext } from '../../public-dialect.ts';
import { readInput } from './input.ts';
import {
  type ResponsesRequest,
  ResponsesRequestSchema,
  readPrompt,
  responsesRequestFields,
} from './responses-request-schema.ts';
import { echoText, readText } from './text-format.ts';

/**
 * The values that a response shows for unset settings, and for the tier where no provider reports it
 * (docs/spec/answers.md#unset-settings).
 */
const unsetAsNull = {
  temperature: null,
  top_p: null,
  presence_penalty: null,
  frequency_penalty: null,
  service_tier: null,
};
const unsetAsDefault = {
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  service_tier: 'default',
};

/** The members that are repeated in a form of their own. */
interface EchoParts {
  readonly tools: readonly JsonObject[];
  readonly toolChoice: string | JsonObject;
  readonly reasoning: JsonObject | null;
  readonly text: JsonObject;
  readonly prompt?: JsonObject;
}

/**
 * The settings a response repeats from its request (docs/spec/answers.md#response-object).
 * @param defaults Whether what is unset shows the open standard's defaults instead of null.
 */
function buildEcho(body: WithoutNulls<ResponsesRequest>, parts: EchoParts, defaults: boolean): ResponseEcho {
  const unset = defaults ? unsetAsDefault : unsetAsNull;
  return {
    instructions: orNull(body.instructions),
    metadata: orNull(body.metadata),
    temperature: body.temperature ?? unset.temperature,
    top_p: body.top_p ?? unset.top_p,
    presence_penalty: body.presence_penalty ?? unset.presence_penalty,
    frequency_penalty: body.frequency_penalty ?? unset.frequency_penalty,
    tools: parts.tools,
    tool_choice: parts.toolChoice,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    max_output_tokens: orNull(body.max_output_tokens),
    max_tool_calls: orNull(toolCallLimit(body.max_tool_calls)),
    previous_response_id: null,
    safety_identifier: orNull(body.safety_identifier),
    prompt_cache_key: orNull(body.prompt_cache_key),
    user: orNull(body.user),
    reasoning: parts.reasoning,
    text: parts.text,
    truncation: body.truncation ?? 'disabled',
    store: false,
    background: false,
    top_logprobs: body.top_logprobs ?? 0,
    service_tier: unset.service_tier,
    ...(parts.prompt === undefined ? {} : { prompt: parts.prompt }),
    ...echoCacheOptions(body.prompt_cache_options),
  };
}

function echoCacheOptions(options: WithoutNulls<ResponsesRequest>['prompt_cache_options']) {
  if (options === undefined) return {};
  const { mode, ttl } = options;
  return { prompt_cache_options: ttl === undefined ? { mode } : { mode, ttl } };
}

function orNull<Value>(value: Value | undefined): Value | null {
  return value ?? null;
}

const stateless = 'nothing is stored here, send the whole history in input';

/**
 * Refuses the fields that would refer to something stored (docs/spec/requests.md#nothing-is-stored).
 * @throws HeadgateError `invalid_request`.
 */
function refuseStoredState(body: WithoutNulls<ResponsesRequest>): void {
  if (body.store === true) throw malformed('store', 'must be false, responses are not stored');
  if (body.previous_response_id !== undefined) {
    throw malformed('previous_response_id', `must be null, ${stateless}`);
  }
  if (body.conversation !== undefined) throw malformed('conversation', `must be null, ${stateless}`);
}

/** Members of other public dialects that change an answer, and the member that says the same here. */
const foreign: Readonly<Record<string, string>> = {
  messages: 'input',
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
  response_format: 'text.format',
  reasoning_effort: 'reasoning.effort',
  functions: 'tools',
  function_call: 'tool_choice',
};

/**
 * Refuses members that mean something in another dialect: who sends them would get another answer than they asked
 * for (docs/spec/requests.md#members-of-other-dialects). Null and empty arrays count as absent.
 * @throws HeadgateError `invalid_request` naming the member to use instead.
 */
function refuseForeignMembers(body: unknown): void {
  if (!isObject(body)) return;
  for (const name in foreign) {
    const value = body[name];
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) continue;
    throw malformed(
      name,
      `is no member of this interface; use ${foreign[name]}, or send the request to /chat/completions`,
    );
  }
  if (body.n !== undefined && body.n !== null && body.n !== 1) {
    throw malformed('n', 'must be 1: a request has one answer; send it several times for more');
  }
}

/** The members of a canonical request that each come from one or two members of the body. */
type Settings = Omit<
  CanonicalChat,
  'items' | 'tools' | 'toolChoice' | 'format' | 'verbosity' | 'reasoning' | 'prompt' | 'betas' | 'truncation'
>;

type Body = WithoutNulls<ResponsesRequest>;

const sealedReasoning = 'reasoning.encrypted_content';

/**
 * Reads the plain settings of a checked body (docs/spec/requests.md#fields).
 * @param hashEndUser Turns an end-user identifier into a pseudonym that may leave the gateway.
 * @throws HeadgateError `invalid_request` when `image_config` is nested too deep.
 */
function readSettings(body: Body, hashEndUser: (raw: string) => string): Settings {
  const include = body.include?.filter((member) => member !== sealedReasoning);
  return {
    kind: 'chat',
    ...readCommonSettings(body, hashEndUser),
    instructions: body.instructions || undefined,
    maxOutputTokens: body.max_output_tokens,
    includeEncryptedReasoning: body.include?.includes(sealedReasoning) ?? false,
    include: include?.length ? [...new Set(include)] : undefined,
    outputModalities: body.modalities?.length ? [...new Set(body.modalities)] : ['text'],
  };
}

/** What the parser must know besides the body. */
export type RequestContext = Omit<ReadContext, 'generationId' | 'keepAlive'>;

/** A checked request, and what its answer repeats of it. */
export interface ParsedRequest {
  readonly request: InferenceRequest;
  readonly echo: ResponseEcho;
}

const checkBody = createChecker(ResponsesRequestSchema);

/**
 * Turns the parsed JSON body of `POST /responses` into a checked request (docs/spec/requests.md).
 * @throws HeadgateError `invalid_request` (400) or `unprocessable` (422); the message begins with the path
 * of the fault and never repeats a prompt.
 */
export function parseInferenceRequest(raw: unknown, context: RequestContext): ParsedRequest {
  refuseForeignMembers(raw);
  const body = pickPresent(checkBody(raw, ''), responsesRequestFields);
  refuseStoredState(body);
  // "disabled" decides about compression as a plugin entry would.
  const settled = body.truncation === undefined ? undefined : ['context-compression'];
  const plugins = withDefaultPlugins(readPlugins(body.plugins), context.pluginDefaults, settled);
  refusePresets(raw, body.model);
  const named = readModels(body, createSpeller(context.aliases, '/'), context.defaultModel);
  const provider = readProvider(body.provider, body.route);
  const spellTool = createSpeller(context.aliases, ':');
  const prompt = readPrompt(body.prompt);
  const {
    tools,
    serviceTools,
    echo: toolsEcho,
    items,
  } = readConversation(body, context, prompt !== undefined);
  const toolChoice = readToolChoice(
    body.tool_choice,
    { tools: offeredTools({ tools, items }), serviceTools },
    spellTool,
  );
  const text = readText(body.text);
  const reasoning = readReasoning(body.reasoning);
  const canonical: CanonicalChat = {
    ...readSettings(body, context.hashEndUser),
    ...compressionOf(plugins, body.truncation),
    items,
    tools,
    serviceTools,
    toolChoice: toolChoice.choice,
    ...text,
    reasoning: reasoning.control,
    prompt,
    betas: betasOf(context.headers),
  };
  checkBudget(canonical);
  const parts = {
    tools: toolsEcho,
    toolChoice: toolChoice.echo,
    reasoning: reasoning.echo,
    text: echoText(text),
    prompt,
  };
  const stream = body.stream ?? false;
  const request = {
    canonical,
    ...named,
    provider,
    plugins,
    stream,
    sessionId: sessionOf(body.session_id, context.headers),
    user: body.user,
    safetyIdentifier: body.safety_identifier,
    hidesFiles: hidesFiles(context.headers.userAgent) || undefined,
    parsedFiles: isObject(raw) ? readParsedFiles(raw.input, 'input') : undefined,
    lastModel: lastModelOf(plugins, isObject(raw) ? raw.input : undefined),
    wantsMetadata: wantsMetadata(context.headers),
    strict: wantsStrict(context.headers),
    echoUpstreamBody: stream && body.debug?.echo_upstream_body === true,
    parameters: namesUsed(body, canonical),
  };
  return { request, echo: buildEcho(body, parts, context.echoDefaults === true) };
}

/** Reads the tools and the conversation, which may add further tools. @param mayBeEmpty As a prompt template can hold it. */
function readConversation(
  body: Partial<Pick<ReturnType<typeof checkBody>, 'tools' | 'input' | 'prompt_cache_options'>>,
  { aliases, carriers }: RequestContext,
  mayBeEmpty: boolean,
) {
  const spell = createSpeller(aliases, ':');
  const { tools, serviceTools: listed, echo, hidden } = readTools(body.tools, spell);
  let unseen = hidden;
  const onHidden = (path: string) => {
    unseen ??= path;
  };
  const cache = readCacheRules(body.prompt_cache_options);
  const items = readInput(body.input, { cache, tools, spell, carriers, onHidden, mayBeEmpty });
  const serviceTools = withAdded(listed, items);
  refuseUnfindable(unseen, serviceTools);
  return { tools, serviceTools, echo, items };
}

/** Tools of the gateway, those that items add behind those that are listed. */
function withAdded(
  listed: readonly ServiceTool[] | undefined,
  items: readonly Item[],
): readonly ServiceTool[] | undefined {
  const added = items.flatMap((item) => (item.kind === 'additional_tools' ? (item.services ?? []) : []));
  return added.length === 0 ? listed : [...(listed ?? []), ...added];
}

/**
 * Finds contradictions between settings that are each valid (docs/spec/errors.md#400-or-422).
 * @throws HeadgateError `unprocessable`.
 */
function checkBudget(canonical: Pick<CanonicalChat, 'reasoning' | 'maxOutputTokens'>): void {
  const budget = canonical.reasoning?.maxTokens;
  const limit = canonical.maxOutputTokens;
  if (budget === undefined || limit === undefined || budget < limit) return;
  throw contradictory('reasoning.max_tokens', `must be below max_output_tokens (${limit}), got ${budget}`);
}
