import { qualifiedName } from '../../../core/client-tools.ts';
import type { HostedKind } from '../../../core/hosted.ts';
import { Type } from '../../../core/json-schema.ts';
import type { JsonObject, Tool, ToolChoice } from '../../../core/request.ts';
import { createChecker } from '../checker.ts';
import { contradictory, malformed, nameOf, quote } from '../fault.ts';
import { asObject } from '../kind-table.ts';
import { anyObject, choice, list } from '../schema.ts';
import { requireHosted, requireTools } from './offered-tools.ts';

/** `tool_choice` that limits what may be called, not what is shown (responses.md 6.1). */
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
export function readAllowedTools(value: JsonObject, tools: readonly Tool[]): ToolChoice {
  const allowed = checkAllowedTools(value, 'tool_choice');
  const names = new Set<string>();
  const hosted = new Set<HostedKind>();
  for (const [index, raw] of allowed.tools.entries()) {
    const path = `tool_choice.tools[${index}]`;
    const entry = asObject(raw, path);
    switch (textOf(entry, 'type', path)) {
      case 'function':
      case 'custom':
        for (const name of readNames(entry, tools, path)) names.add(name);
        break;
      case 'namespace':
        for (const name of readNamespace(entry, tools, path)) names.add(name);
        break;
      default:
        hosted.add(requireHosted(entry, tools, path).tool);
    }
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

function readNames(entry: JsonObject, tools: readonly Tool[], path: string): readonly string[] {
  const name = textOf(entry, 'name', path);
  const namespace = entry.namespace == null ? undefined : textOf(entry, 'namespace', path);
  const form = entry.type === 'custom' ? 'custom' : 'function';
  const found = requireTools({ form, name, namespace }, tools, `${path}.name`);
  return found.map((one) => qualifiedName(name, one.namespace));
}

function readNamespace(entry: JsonObject, tools: readonly Tool[], path: string): readonly string[] {
  const name = textOf(entry, 'name', path);
  const found = tools.find((tool) => tool.kind === 'namespace' && tool.name === name);
  if (found?.kind === 'namespace') return found.tools.map((member) => qualifiedName(member.name, name));
  throw contradictory(`${path}.name`, `tools holds no namespace named ${quote(name)}`);
}

function textOf(entry: JsonObject, member: string, path: string): string {
  const value = entry[member];
  if (typeof value === 'string') return value;
  throw malformed(`${path}.${member}`, `expected a string, got ${nameOf(value)}`);
}
