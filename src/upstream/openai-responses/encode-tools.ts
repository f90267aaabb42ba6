import type * as Wire from 'openai/resources/responses/responses';
import { qualifiedName } from '../../core/client-tools.ts';
import type { HostedKind } from '../../core/hosted.ts';
import { takesParameter } from '../../core/parameters.ts';
import type { CanonicalChat, CustomTool, FunctionTool, HostedTool, Tool } from '../../core/request.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { enforceable } from '../fit-output-schema.ts';
import type { ResponsesProfile } from './quirks.ts';

/** `strict` is never null, which compatible providers refuse. */
type WireFunction = Omit<Wire.FunctionTool, 'strict'> & {
  readonly strict?: boolean;
  readonly async?: boolean;
};

type WireHostedTool = JsonObject & { readonly type: string };

/** A tool in this dialect. */
export type WireTool = WireFunction | Wire.CustomTool | Wire.NamespaceTool | WireHostedTool;

/** Picture settings that the dialect's tool has under the same name. */
export const pictureSettings = [
  'model',
  'quality',
  'size',
  'background',
  'output_format',
  'output_compression',
  'partial_images',
  'moderation',
  'input_fidelity',
] as const;

/** Encodes the tools of a call, the tool choice, and the limits on calls. */
export function encodeTools({ request, endpoint }: UpstreamCall, profile: ResponsesProfile): JsonObject {
  const tools = takesParameter(endpoint, 'tools')
    ? request.tools.map((tool) => encodeTool(tool, profile))
    : [];
  const pictures = pictureTool(request);
  if (pictures !== undefined) tools.push(pictures);
  const offered = tools.length > 0 || request.items.some((item) => item.kind === 'additional_tools');
  if (!offered) return {};
  const hosted = request.tools.some((tool) => tool.kind === 'hosted');
  return {
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: takesParameter(endpoint, 'tool_choice') ? encodeChoice(request) : undefined,
    parallel_tool_calls: takesParameter(endpoint, 'parallel_tool_calls')
      ? request.parallelToolCalls
      : undefined,
    max_tool_calls: hosted && !profile.omit.has('max_tool_calls') ? request.maxToolCalls : undefined,
  };
}

/** Encodes one tool; hosted ones unchanged, without members that only the gateway's own tools have. */
export function encodeTool(tool: Tool, profile: ResponsesProfile): WireTool {
  switch (tool.kind) {
    case 'function':
      return encodeFunction(tool, profile);
    case 'custom':
      return encodeCustom(tool);
    case 'namespace': {
      const { name, description, tools } = tool;
      const members = tools.map((member) =>
        member.kind === 'custom' ? encodeCustom(member) : encodeMember(member, profile),
      );
      return { type: 'namespace', name, description, tools: members };
    }
    case 'hosted':
      return encodeHosted(tool, profile);
  }
}

function encodeFunction(tool: FunctionTool, { omit }: ResponsesProfile): WireFunction {
  const { name, description, leavesStrict } = tool;
  const given = tool.parameters ?? { type: 'object', properties: {} };
  const parameters = tool.strict === true ? enforceable(given) : given;
  // Unset, it is strict in this dialect, which makes optional arguments mandatory; in all others it is not.
  const strict = tool.strict ?? (leavesStrict ? undefined : false);
  return {
    type: 'function',
    name,
    description,
    parameters,
    strict: omit.has('strict') ? undefined : strict,
    async: tool.async,
  };
}

function encodeMember(tool: FunctionTool, profile: ResponsesProfile): Wire.NamespaceTool.Function {
  return {
    ...encodeFunction(tool, profile),
    output_schema: tool.outputSchema && { ...tool.outputSchema },
    allowed_callers: tool.allowedCallers && [...tool.allowedCallers],
  };
}

function encodeCustom({
  name,
  description,
  grammar,
  async,
}: CustomTool): Wire.CustomTool & { readonly async?: boolean } {
  return { type: 'custom', name, description, format: grammar && { type: 'grammar', ...grammar }, async };
}

function encodeHosted({ tool, type, settings }: HostedTool, { format }: ResponsesProfile): WireHostedTool {
  if (tool !== 'web_search') return { type, ...settings };
  // Only the issuer knows versions; compatible providers know the plain kind.
  return encodeWebSearch(/^(azure-)?openai-/.test(format) ? type : tool, settings);
}

function encodeWebSearch(type: string, settings: JsonObject): WireHostedTool {
  const { engine: _, mode: _mode, max_results: _results, max_uses: _uses, filters, ...rest } = settings;
  const allowed_domains = isObject(filters) ? filters.allowed_domains : undefined;
  return { type, ...rest, ...(allowed_domains !== undefined && { filters: { allowed_domains } }) };
}

/** The tool that makes the requested pictures, unless the caller already offers it. */
function pictureTool({ outputModalities, tools, imageConfig }: CanonicalChat): WireHostedTool | undefined {
  if (!outputModalities.includes('image')) return undefined;
  if (tools.some((tool) => tool.kind === 'hosted' && tool.tool === 'image_generation')) return undefined;
  const settings = pictureSettings.flatMap((name) =>
    imageConfig?.[name] === undefined ? [] : [[name, imageConfig[name]] as const],
  );
  return { type: 'image_generation', ...Object.fromEntries(settings) };
}

type WireChoice = Wire.ResponseCreateParams['tool_choice'] | { readonly type: string };

function encodeChoice({ toolChoice: choice, tools, items }: CanonicalChat): WireChoice {
  switch (choice.kind) {
    case 'tool':
      return { type: choice.form, name: choice.name };
    case 'hosted':
      return { type: choice.type };
    case 'allowed': {
      const added = items.flatMap((item) => (item.kind === 'additional_tools' ? item.tools : []));
      const { mode, hosted = [] } = choice;
      const allowed = { names: new Set(choice.names), hosted };
      return { type: 'allowed_tools', mode, tools: allowedTools(allowed, [...tools, ...added]) };
    }
    default:
      return choice.kind;
  }
}

interface Allowed {
  readonly names: ReadonlySet<string>;
  readonly hosted: readonly HostedKind[];
}

/**
 * Members of namespaces are allowed by their own names; calls of other tools with the same name are removed from the
 * answer.
 */
function allowedTools(choice: Allowed, tools: readonly Tool[], namespace?: string): JsonObject[] {
  return tools.flatMap((tool): readonly JsonObject[] => {
    if (tool.kind === 'namespace') return allowedTools(choice, tool.tools, tool.name);
    if (tool.kind !== 'hosted') {
      const allowed = choice.names.has(qualifiedName(tool.name, namespace));
      return allowed ? [{ type: tool.kind, name: tool.name }] : [];
    }
    if (!choice.hosted.includes(tool.tool)) return [];
    const { server_label } = tool.settings;
    return [tool.tool === 'mcp' ? { type: tool.type, server_label } : { type: tool.type }];
  });
}
