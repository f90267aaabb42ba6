import type { FunctionTool, HostedTool, Tool, ToolChoice } from '../../core/request.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { plainReferences } from '../plain-references.ts';
import { refusal } from '../refusal.ts';
import { type GeminiHost, modelTraits } from './model-traits.ts';
import type * as Wire from './wire.ts';

/** The tool members of a call. */
export interface EncodedTools {
  readonly tools?: readonly Wire.Tool[];
  readonly toolConfig?: Wire.ToolConfig;
}

/**
 * Encodes tools and the tool choice. Quirk `urlContext` lets a model that may search also open pages.
 * @throws HeadgateError `upstream_invalid_request` for settings of hosted tools that the provider would silently
 * ignore: domains to search, files of a container.
 */
export function encodeTools(call: UpstreamCall, host: GeminiHost): EncodedTools {
  const { tools, toolChoice } = call.request;
  const functions = tools.filter((tool) => tool.kind === 'function');
  const hosted = offeredHosted(tools, toolChoice);
  const opensPages = call.endpoint.provider.quirks.urlContext === true;
  const encoded: Wire.Tool[] = hosted.flatMap((tool) => encodeHosted(tool, host, opensPages));
  if (functions.length > 0) encoded.push({ functionDeclarations: functions.map(encodeFunction) });
  if (encoded.length === 0) return {};
  const mixed = functions.length > 0 && hosted.length > 0;
  const shown = mixed && host === 'ai-studio' && modelTraits(call).mixesTools;
  const functionCallingConfig = functions.length > 0 ? encodeChoice(toolChoice, functions) : undefined;
  return {
    tools: encoded,
    toolConfig:
      functionCallingConfig !== undefined || shown
        ? { functionCallingConfig, includeServerSideToolInvocations: shown ? true : undefined }
        : undefined,
  };
}

/** Hosted tools cannot be offered and forbidden at once, so forbidden ones are left out. */
function offeredHosted(tools: readonly Tool[], choice: ToolChoice): readonly HostedTool[] {
  const hosted = tools.filter((tool) => tool.kind === 'hosted');
  if (choice.kind === 'none') return [];
  return choice.kind === 'allowed' ? hosted.filter(({ tool }) => choice.hosted?.includes(tool)) : hosted;
}

function encodeFunction({
  name,
  description,
  parameters,
  outputSchema,
}: FunctionTool): Wire.FunctionDeclaration {
  return {
    name,
    description: description || undefined,
    parametersJsonSchema: parameters && !takesNothing(parameters) ? withoutDialect(parameters) : undefined,
    responseJsonSchema: outputSchema && withoutDialect(outputSchema),
  };
}

function takesNothing(parameters: JsonObject): boolean {
  const { properties, ...others } = parameters;
  const empty = isObject(properties) ? Object.keys(properties).length === 0 : properties === undefined;
  return empty && others.type === 'object' && !('$ref' in others) && others.additionalProperties !== true;
}

/** A schema without `$schema`, which the provider does not know, and with the references that it takes. */
export function withoutDialect<T extends JsonObject>({ $schema: _, ...schema }: T): JsonObject {
  return plainReferences(schema);
}

function encodeHosted({ tool, settings }: HostedTool, host: GeminiHost, opensPages: boolean): Wire.Tool[] {
  if (tool === 'code_interpreter') {
    checkContainer(settings.container);
    return [{ codeExecution: {} }];
  }
  const search: Wire.Tool = { googleSearch: encodeFilters(settings.filters, host) };
  return opensPages ? [search, { urlContext: {} }] : [search];
}

function encodeFilters(filters: unknown, host: GeminiHost): NonNullable<Wire.Tool['googleSearch']> {
  if (!isObject(filters)) return {};
  const excluded = [...domainsOf(filters.blocked_domains), ...domainsOf(filters.excluded_domains)];
  if (domainsOf(filters.allowed_domains).length > 0) throw refusal('no list of domains to search');
  if (excluded.length === 0) return {};
  if (host !== 'vertex') throw refusal('no list of domains to leave out');
  return { excludeDomains: excluded };
}

function domainsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((domain) => typeof domain === 'string') : [];
}

function checkContainer(container: unknown): void {
  const files = isObject(container) ? container.file_ids : undefined;
  if (typeof container === 'string') throw refusal('no containers by id');
  if (Array.isArray(files) && files.length > 0) throw refusal('no files in its container');
}

function encodeChoice(
  choice: ToolChoice,
  functions: readonly FunctionTool[],
): Wire.ToolConfig['functionCallingConfig'] {
  switch (choice.kind) {
    case 'none':
      return { mode: 'NONE' };
    case 'required':
      return { mode: 'ANY' };
    case 'tool':
      return { mode: 'ANY', allowedFunctionNames: [choice.name] };
    case 'allowed': {
      if (choice.names.length === 0) return { mode: 'NONE' };
      const mode = choice.mode === 'required' && !choice.hosted?.length ? 'ANY' : 'VALIDATED';
      return { mode, allowedFunctionNames: [...choice.names] };
    }
    default:
      // By default the model writes arguments freely; this mode enforces their schemas.
      return functions.some(({ strict }) => strict === true) ? { mode: 'VALIDATED' } : undefined;
  }
}
