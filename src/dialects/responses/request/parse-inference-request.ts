import { offeredTools } from '../../../core/client-tools.ts';
import type { InferenceRequest } from '../../../core/inference-request.ts';
import type { CanonicalRequest } from '../../../core/request.ts';
import { createChecker } from '../../../schema/checker.ts';
import type { ReadContext } from '../../public-dialect.ts';
import type { ResponseEcho } from '../answer/response.ts';
import { createSpeller } from './aliases.ts';
import { readCacheRules } from './cache.ts';
import { checkBudget } from './cross-checks.ts';
import { buildEcho } from './echo.ts';
import { readInput } from './input.ts';
import { readModels } from './models.ts';
import { namesUsed } from './parameters.ts';
import { checkPlugins } from './plugins.ts';
import { readPrompt } from './prompt.ts';
import { readProvider } from './provider.ts';
import { readReasoning } from './reasoning.ts';
import { refuseForeignMembers, refusePresets, refuseStoredState } from './refused-fields.ts';
import { betasOf, sessionOf, wantsMetadata, wantsStrict } from './request-headers.ts';
import { ResponsesRequestSchema, responsesRequestFields } from './responses-request-schema.ts';
import { readSettings } from './settings.ts';
import { checkStopConditions } from './stop-conditions.ts';
import { echoText, readText } from './text-format.ts';
import { readToolChoice } from './tools/tool-choice.ts';
import { readTools } from './tools/tools.ts';
import { pickPresent } from './without-nulls.ts';

/** What the parser must know besides the body. */
export interface RequestContext extends ReadContext {
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
  checkPlugins(body.plugins);
  checkStopConditions(body.stop_server_tools_when);
  refusePresets(raw, body.model);
  const named = readModels(body, createSpeller(context.aliases, '/'), context.defaultModel);
  const provider = readProvider(body.provider, body.route);
  const spellTool = createSpeller(context.aliases, ':');
  const { tools, echo: toolsEcho } = readTools(body.tools, spellTool);
  const prompt = readPrompt(body.prompt);
  const items = readInput(body.input, {
    cache: readCacheRules(body.prompt_cache_options),
    tools,
    spell: spellTool,
    mayBeEmpty: prompt !== undefined,
  });
  const toolChoice = readToolChoice(body.tool_choice, offeredTools({ tools, items }), spellTool);
  const text = readText(body.text);
  const reasoning = readReasoning(body.reasoning);
  const canonical: CanonicalRequest = {
    ...readSettings(body, context.hashEndUser),
    items,
    tools,
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
    stream,
    sessionId: sessionOf(body.session_id, context.headers),
    user: body.user,
    safetyIdentifier: body.safety_identifier,
    wantsMetadata: wantsMetadata(context.headers),
    strict: wantsStrict(context.headers),
    echoUpstreamBody: stream && body.debug?.echo_upstream_body === true,
    parameters: namesUsed(body, canonical),
  };
  return { request, echo: buildEcho(body, parts, context.echoDefaults) };
}
