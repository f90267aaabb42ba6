import type * as Wire from '@anthropic-ai/sdk/resources/messages';
import { breakpointOfTool } from '../../core/breakpoints.ts';
import type { CacheControl, FunctionTool, HostedTool, Tool, ToolChoice } from '../../core/request.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import { claudeTraits } from '../claude-model.ts';
import { strictFunctions } from '../enforced-schemas.ts';
import { fitOutputSchema } from '../fit-output-schema.ts';
import { refusal } from '../refusal.ts';
import { supports } from '../supported-parameters.ts';
import type { MarkedTool } from './cache-breakpoints.ts';
import { encodeCacheControl } from './encode-content.ts';
import { type EncodedHostedTools, encodeHostedTools, hostedNames } from './encode-hosted-tools.ts';

/** The tool members of a call, and what hosted tools add elsewhere. */
export interface EncodedTools {
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
export function encodeTools({ request, endpoint }: UpstreamCall, thinking: boolean): EncodedTools {
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
