import { qualifiedName } from '../../../core/client-tools.ts';
import type { HostedKind } from '../../../core/hosted.ts';
import type { ToolChoice } from '../../../core/request.ts';
import { type ServiceType, serviceFunctionName } from '../../../core/tool.ts';
import { createChecker } from '../../../schema/checker.ts';
import { contradictory, malformed, nameOf } from '../../../schema/fault.ts';
import { asObject } from '../../../schema/kind-table.ts';
import type { JsonObject } from '../../../util/json.ts';
import { anyObject, choice, list, Type } from '../../../util/json-schema.ts';
import type { OfferedTools } from './offered-tools.ts';

/** `tool_choice` that limits what may be called, not what is shown (docs/spec/tools.md#tool-choice). */
export const AllowedToolsSchema = Type.Object({
  type: choice('allowed_tools'),
  mode: choice('auto', 'required'),
  tools: list(anyObject()),
});

const checkAllowedTools = createChecker(AllowedToolsSchema);

/**
 * Reads `allowed_tools`: functions and custom tools by name, namespaces for all they hold, hosted tools by kind.
 * @throws HeadgateError `invalid_request`, or `unprocessable` when an entry names a tool that is not there.
 */
export function readAllowedTools(value: JsonObject, tools: OfferedTools): ToolChoice {
  const allowed = checkAllowedTools(value, 'tool_choice');
  const names = new Set<string>();
  const hosted = new Set<HostedKind>();
  /** One entry may stand for many tools, so none is read twice. */
  const read = new Set<string>();
  for (const [index, raw] of allowed.tools.entries()) {
    const path = `tool_choice.tools[${index}]`;
    const entry = asObject(raw, path);
    const key = JSON.stringify([entry.type, entry.name, entry.namespace, entry.server_label]);
    if (read.has(key)) continue;
    read.add(key);
    const named = namesOf(entry, tools, path);
    if (named === undefined) hosted.add(tools.hosted(entry, path).tool);
    else for (const name of named) names.add(name);
  }
  if (names.size + hosted.size > 0) {
    const kinds = hosted.size === 0 ? {} : { hosted: [...hosted] };
    return { kind: 'allowed', mode: allowed.mode, names: [...names], ...kinds };
  }
  if (allowed.mode === 'required') {
    throw contradictory('tool_choice.tools', 'mode "required" needs at least one tool');
  }
  return { kind: 'none' };
}

/** Names that an entry means; undefined where it means a hosted kind. */
function namesOf(entry: JsonObject, tools: OfferedTools, path: string): readonly string[] | undefined {
  switch (textOf(entry, 'type', path)) {
    case 'function':
    case 'custom':
      return readNames(entry, tools, path);
    case 'namespace':
      return readNamespace(entry, tools, path);
    default:
      return isService(entry, tools) ? [serviceFunctionName(entry.type)] : undefined;
  }
}

function isService(
  entry: JsonObject,
  tools: OfferedTools,
): entry is JsonObject & { readonly type: ServiceType } {
  return typeof entry.type === 'string' && tools.ofService(entry.type) !== undefined;
}

function readNames(entry: JsonObject, tools: OfferedTools, path: string): readonly string[] {
  const name = textOf(entry, 'name', path);
  const namespace = entry.namespace == null ? undefined : textOf(entry, 'namespace', path);
  const form = entry.type === 'custom' ? 'custom' : 'function';
  const places = tools.placesOf({ form, name, namespace }, `${path}.name`);
  return places.map((place) => qualifiedName(name, place));
}

function readNamespace(entry: JsonObject, tools: OfferedTools, path: string): readonly string[] {
  const name = textOf(entry, 'name', path);
  return tools.namespace(name, `${path}.name`).tools.map((member) => qualifiedName(member.name, name));
}

function textOf(entry: JsonObject, member: string, path: string): string {
  const value = entry[member];
  if (typeof value === 'string') return value;
  throw malformed(`${path}.${member}`, `expected a string, got ${nameOf(value)}`);
}
