import type * as Wire from '@anthropic-ai/sdk/resources/messages';
import type { CustomTool, Tool, ToolChoice } from '../../core/request.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import { supports } from '../supported-parameters.ts';

/** The members of a call that deal with tools. */
export interface EncodedTools {
  readonly tools?: Wire.Tool[];
  readonly tool_choice?: Wire.ToolChoice;
}

/**
 * Tools and the choice among them. Tools with free-text input are played by tools with one string.
 * @param thinking Whether the model thinks before it answers.
 */
export function encodeTools({ request, endpoint }: UpstreamCall, thinking: boolean): EncodedTools {
  const tools = allowedTools(request.tools, request.toolChoice);
  if (tools.length === 0 || !supports(endpoint, 'tools')) return {};
  // Older models refuse to be strict, so it is asked for only where the endpoint is known to be able.
  const canBeStrict = endpoint.supportedParameters?.has('structured_outputs') === true;
  const oneAtMost = request.parallelToolCalls === false && supports(endpoint, 'parallel_tool_calls');
  // The dialect refuses forced calls of a model that thinks; free to choose, it may still call.
  const choice = thinking ? freed(request.toolChoice) : request.toolChoice;
  return {
    tools: tools.map((tool) => encodeTool(tool, canBeStrict)),
    tool_choice: supports(endpoint, 'tool_choice') ? encodeChoice(choice, oneAtMost) : undefined,
  };
}

/** The dialect cannot show a tool and forbid it, so only the allowed ones are shown. */
function allowedTools(tools: readonly Tool[], choice: ToolChoice): readonly Tool[] {
  return choice.kind === 'allowed' ? tools.filter((tool) => choice.names.includes(tool.name)) : tools;
}

function encodeTool(tool: Tool, canBeStrict: boolean): Wire.Tool {
  const { name, description } = tool;
  if (tool.kind === 'custom') return { name, description, input_schema: textInput(tool) };
  const input_schema = { type: 'object', properties: {}, ...tool.parameters } as const;
  return { name, description, input_schema, strict: canBeStrict && tool.strict ? true : undefined };
}

function textInput({ grammar }: CustomTool): Wire.Tool.InputSchema {
  const description = grammar
    ? `The whole input of the tool. It must match this ${grammar.syntax} grammar:\n${grammar.definition}`
    : 'The whole input of the tool, as plain text.';
  return {
    type: 'object',
    properties: { input: { type: 'string', description } },
    required: ['input'],
    additionalProperties: false,
  };
}

function freed(choice: ToolChoice): ToolChoice {
  return choice.kind === 'none' ? choice : { kind: 'auto' };
}

function encodeChoice(choice: ToolChoice, oneAtMost: boolean): Wire.ToolChoice {
  const disable_parallel_tool_use = oneAtMost ? true : undefined;
  if (choice.kind === 'none') return { type: 'none' };
  if (choice.kind === 'tool') return { type: 'tool', name: choice.name, disable_parallel_tool_use };
  const forced = choice.kind === 'allowed' ? choice.mode === 'required' : choice.kind === 'required';
  return { type: forced ? 'any' : 'auto', disable_parallel_tool_use };
}
