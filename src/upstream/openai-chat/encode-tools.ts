import type * as Wire from 'openai/resources/chat/completions';
import type {
  CanonicalRequest,
  CustomTool,
  FunctionTool,
  HostedTool,
  Tool,
  ToolChoice,
} from '../../core/request.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { enforceable } from '../fit-output-schema.ts';
import type { ChatProfile } from './quirks.ts';

/** A tool that the client runs. */
type ClientTool = FunctionTool | CustomTool;

/** The members that offer tools; none where the request has no client tool. */
export function encodeTools(request: CanonicalRequest, profile: ChatProfile): JsonObject {
  const offered = offeredTools(request, profile);
  if (offered.length === 0) return {};
  return {
    tools: offered.map((tool) => encodeTool(tool, profile)),
    tool_choice: encodeToolChoice(request.toolChoice, offered, profile),
    parallel_tool_calls: request.parallelToolCalls,
  };
}

/** The members that request a web search by the provider. */
export function encodeSearch({ tools }: CanonicalRequest, { webSearch }: ChatProfile): JsonObject {
  const tool = tools.find(
    (entry): entry is HostedTool => entry.kind === 'hosted' && entry.tool === 'web_search',
  );
  if (tool === undefined) return {};
  if (webSearch === 'enable_search') return { enable_search: true };
  if (webSearch !== 'web_search_options') return {};
  const { search_context_size, user_location } = tool.settings;
  const options: Record<string, unknown> = {};
  if (search_context_size !== undefined) options.search_context_size = search_context_size;
  if (isObject(user_location)) {
    const { type: _, ...approximate } = user_location;
    options.user_location = { type: 'approximate', approximate };
  }
  return { web_search_options: options };
}

/**
 * The tools that this call offers. Where the dialect has no form for a choice, the offer is reduced instead.
 */
function offeredTools({ tools, toolChoice }: CanonicalRequest, { toolChoices }: ChatProfile): ClientTool[] {
  const offered = tools.filter(isClientTool);
  if (toolChoice.kind === 'none' && !toolChoices.includes('none')) return [];
  if (toolChoice.kind === 'tool' && !toolChoices.includes('named')) {
    return offered.filter((tool) => tool.name === toolChoice.name);
  }
  return offered;
}

function encodeTool(tool: ClientTool, profile: ChatProfile): Wire.ChatCompletionTool {
  return tool.kind === 'function' ? encodeFunction(tool, profile) : encodeCustom(tool);
}

/** The `tool_choice` member; undefined where it equals the dialect's default. */
function encodeToolChoice(
  choice: ToolChoice,
  tools: readonly ClientTool[],
  profile: ChatProfile,
): JsonObject | string | undefined {
  const { toolChoices, requiredWord } = profile;
  const required = toolChoices.includes('required') ? requiredWord : undefined;
  switch (choice.kind) {
    case 'auto':
    case 'hosted':
      return undefined;
    case 'none':
      return 'none';
    case 'required':
      return required;
    case 'tool':
      return toolChoices.includes('named') ? nameTool(choice.name, choice.form) : required;
    case 'allowed':
      if (toolChoices.includes('allowed_tools')) return allowTools(choice, tools);
      return choice.mode === 'required' ? required : undefined;
  }
}

function allowTools(
  choice: Extract<ToolChoice, { kind: 'allowed' }>,
  tools: readonly ClientTool[],
): JsonObject {
  const names = new Set(choice.names);
  const allowed = tools.filter((tool) => names.has(tool.name));
  return {
    type: 'allowed_tools',
    allowed_tools: { mode: choice.mode, tools: allowed.map((tool) => nameTool(tool.name, tool.kind)) },
  };
}

function nameTool(name: string, form: ClientTool['kind']): JsonObject {
  return form === 'custom' ? { type: 'custom', custom: { name } } : { type: 'function', function: { name } };
}

function encodeFunction(tool: FunctionTool, { strictTools }: ChatProfile): Wire.ChatCompletionFunctionTool {
  const { parameters = { type: 'object', properties: {} } } = tool;
  const isStrict = strictTools && tool.strict === true;
  return {
    type: 'function',
    function: {
      name: tool.name,
      description: tool.description,
      // Omitting it would mean no parameters, but some compatible providers fail without it.
      parameters: { ...(isStrict ? enforceable(parameters) : parameters) },
      strict: isStrict ? true : undefined,
    },
  };
}

function encodeCustom(tool: CustomTool): Wire.ChatCompletionCustomTool {
  const { name, description, grammar } = tool;
  return {
    type: 'custom',
    custom: { name, description, format: grammar ? { type: 'grammar', grammar: { ...grammar } } : undefined },
  };
}

function isClientTool(tool: Tool): tool is ClientTool {
  return tool.kind === 'function' || tool.kind === 'custom';
}
