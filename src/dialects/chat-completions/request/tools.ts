import { malformed } from '../../../schema/fault.ts';
import { asList, asObject, rowFor } from '../../../schema/kind-table.ts';
import { refuseDeep } from '../../../schema/refuse-deep.ts';
import { isObject, type JsonObject } from '../../../util/json.ts';
import type { Speller } from '../../gateway/aliases.ts';
import type { ChoosableTools } from '../../gateway/tools/tool-choice.ts';
import { toolKinds } from '../../gateway/tools/tool-kinds.ts';
import { GatheredTools } from '../../gateway/tools/tools.ts';

/** Kinds that an answer of this dialect has no form for. */
const unanswerable: ReadonlySet<string> = new Set([
  'custom',
  'namespace',
  'local_shell',
  'shell',
  'apply_patch',
  'computer_use_preview',
  'service:tool_search',
  'tool_search',
  'service:apply_patch',
  'service:shell',
  'service:bash',
]);

/**
 * Reads `tools` (docs/spec/chat.md#tools): functions in either form, and the tools that a provider or the gateway runs.
 * @throws HeadgateError `invalid_request`, or `unprocessable` when two tools share a name.
 */
export function readChatTools(value: unknown, spell: Speller): ChoosableTools {
  if (value === undefined || value === null) return { tools: [] };
  const gathered = new GatheredTools();
  for (const [index, entry] of asList(value, 'tools').entries()) {
    const path = `tools[${index}]`;
    const raw = asObject(entry, path);
    refuseDeep(raw, path);
    const { flat, place } = flatten(raw, path);
    if (typeof flat.type === 'string' && unanswerable.has(spell(flat.type))) {
      throw malformed(`${path}.type`, `"${flat.type}" is not served here; use POST /responses for it`);
    }
    if (flat.type === 'mcp' && flat.require_approval !== 'never') {
      const problem =
        'must be "never" here, because this dialect cannot ask for approval; use POST /responses';
      throw malformed(`${path}.require_approval`, problem);
    }
    refuseInheriting(flat, path, spell);
    gathered.add(rowFor(toolKinds, flat, place, spell).read(flat, place).tool, place);
  }
  return { tools: gathered.tools, serviceTools: gathered.serviceTools };
}

/** Answers of this dialect cannot say which calls are those of a worker. */
function refuseInheriting({ type, parameters }: JsonObject, path: string, spell: Speller): void {
  if (typeof type !== 'string' || spell(type) !== 'service:subagent' || !isObject(parameters)) return;
  const { inherit_functions: all, inherited_function_names: names } = parameters;
  if (all !== true && (names === undefined || names === null)) return;
  const name = all === true ? 'inherit_functions' : 'inherited_function_names';
  throw malformed(`${path}.parameters.${name}`, 'is not served here; use POST /responses for it');
}

/** The nested form of a function as the flat one, which is not strict unless it says so. */
function flatten(raw: JsonObject, path: string): { readonly flat: JsonObject; readonly place: string } {
  // The flat form is that of the Responses dialect, and means what it means there.
  if (raw.type !== 'function' || !isObject(raw.function)) return { flat: raw, place: path };
  const { name, description, parameters, strict } = raw.function;
  const cache_control = raw.cache_control ?? raw.function.cache_control;
  const flat = { type: 'function', name, description, parameters, strict: strict ?? false, cache_control };
  return { flat, place: `${path}.function` };
}

/** `tool_choice` in the form that all dialects share. */
export function flattenToolChoice(value: unknown): unknown {
  if (!isObject(value)) return value;
  if (value.type === 'function' && isObject(value.function))
    return { type: 'function', name: value.function.name };
  if (value.type === 'allowed_tools' && isObject(value.allowed_tools)) {
    const { mode, tools } = value.allowed_tools;
    return {
      type: 'allowed_tools',
      mode,
      tools: Array.isArray(tools) ? tools.map(flattenToolChoice) : tools,
    };
  }
  return value;
}
