import type * as Wire from 'openai/resources/chat/completions';
import type { CustomTool, FunctionTool, Tool, ToolChoice } from '../../core/request.ts';
import type { ChatQuirks } from './quirks.ts';

/** A tool in this dialect; without native custom tools, a function with one text takes their place. */
export function encodeTool(tool: Tool, quirks: ChatQuirks): Wire.ChatCompletionTool {
  if (tool.kind === 'function') return encodeFunction(tool);
  return quirks.customTools ? encodeCustom(tool) : encodeAsFunction(tool);
}

/**
 * The `tool_choice` member, or undefined where the dialect's own default says the same. A list of allowed
 * tools that cannot be said becomes its mode; that only listed tools are called is the pipeline's care.
 */
export function encodeToolChoice(
  choice: ToolChoice,
  tools: readonly Tool[],
  quirks: ChatQuirks,
): Wire.ChatCompletionToolChoiceOption | undefined {
  switch (choice.kind) {
    case 'auto':
      return undefined;
    case 'none':
    case 'required':
      return choice.kind;
    case 'tool':
      return nameTool(choice.name, choice.form, quirks);
    case 'allowed':
      if (quirks.allowedTools) return allowTools(choice, tools, quirks);
      return choice.mode === 'required' ? 'required' : undefined;
  }
}

function allowTools(
  choice: Extract<ToolChoice, { kind: 'allowed' }>,
  tools: readonly Tool[],
  quirks: ChatQuirks,
): Wire.ChatCompletionAllowedToolChoice {
  const allowed = tools.filter((tool) => choice.names.includes(tool.name));
  return {
    type: 'allowed_tools',
    allowed_tools: {
      mode: choice.mode,
      tools: allowed.map((tool) => ({ ...nameTool(tool.name, tool.kind, quirks) })),
    },
  };
}

function nameTool(
  name: string,
  form: Tool['kind'],
  quirks: ChatQuirks,
): Wire.ChatCompletionNamedToolChoice | Wire.ChatCompletionNamedToolChoiceCustom {
  if (form === 'custom' && quirks.customTools) return { type: 'custom', custom: { name } };
  return { type: 'function', function: { name } };
}

function encodeFunction(tool: FunctionTool): Wire.ChatCompletionFunctionTool {
  return {
    type: 'function',
    function: {
      name: tool.name,
      description: tool.description,
      // Left out it would mean no parameters, but some look-alikes fail without it.
      parameters: { ...(tool.parameters ?? { type: 'object', properties: {} }) },
      strict: tool.strict,
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

function encodeAsFunction({ name, description, grammar }: CustomTool): Wire.ChatCompletionFunctionTool {
  const rule = grammar && `The input must follow this ${grammar.syntax} grammar:\n${grammar.definition}`;
  const parameters = {
    type: 'object',
    properties: { input: { type: 'string', description: 'The whole input of the tool, as free text.' } },
    required: ['input'],
    additionalProperties: false,
  };
  const text = [description, rule].filter(Boolean).join('\n\n');
  return { type: 'function', function: { name, description: text || undefined, parameters } };
}
