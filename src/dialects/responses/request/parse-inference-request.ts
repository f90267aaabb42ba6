import { offeredTools } from '../../../core/client-tools.ts';
import type { InferenceRequest } from '../../../core/inference-request.ts';
import type { CanonicalRequest, Item, ServiceTool } from '../../../core/request.ts';
import { createChecker } from '../../../schema/checker.ts';
import { isObject } from '../../../util/json.ts';
import { createSpeller } from '../../gateway/aliases.ts';
import type { ResponseEcho } from '../../gateway/assembly/response.ts';
import { readCacheRules } from '../../gateway/cache.ts';
import { hidesFiles } from '../../gateway/closed-clients.ts';
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
import { readTools, refuseUnfindable } from '../../gateway/tools/tools.ts';
import { pickPresent } from '../../gateway/without-nulls.ts';
import type { ReadContext } from '../../public-dialect.ts';
import { checkBudget } from './cross-checks.ts';
import { buildEcho } from './echo.ts';
import { readInput } from './input.ts';
import { readPrompt } from './prompt.ts';
import { refuseForeignMembers, refuseStoredState } from './refused-fields.ts';
import { ResponsesRequestSchema, responsesRequestFields } from './responses-request-schema.ts';
import { readSettings } from './settings.ts';
import { echoText, readText } from './text-format.ts';

/** What the parser must know besides the body. */
export interface RequestContext extends Omit<ReadContext, 'generationId'> {
  /**
   * Whether unset sampler settings are repeated as the open standard's defaults (docs/spec/answers.md#unset-settings).
   */
  readonly echoDefaults: boolean;
}

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
  const canonical: CanonicalRequest = {
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
  return { request, echo: buildEcho(body, parts, context.echoDefaults) };
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
