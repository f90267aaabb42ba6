import type { FunctionTool, HostedTool, ServiceTool, Tool, ToolChoice } from '../../../core/request.ts';
import { serviceFunctionName } from '../../../core/tool.ts';
import { contradictory, malformed, nameOf, quote } from '../../../schema/fault.ts';
import { asList, asObject } from '../../../schema/kind-table.ts';
import { refuseDeep } from '../../../schema/refuse-deep.ts';
import { isObject, type JsonObject } from '../../../util/json.ts';
import type { Speller } from '../../gateway/models.ts';
import type { ChoosableTools } from '../../gateway/tools/tool-choice.ts';
import { toolKinds } from '../../gateway/tools/tool-kinds.ts';
import { objectMember, optionalText, textMember } from './block-path.ts';

const bash: FunctionTool = {
  kind: 'function',
  name: 'bash',
  description: 'Runs commands in a bash shell that keeps its state between calls.',
  parameters: {
    type: 'object',
    properties: {
      command: { type: 'string', description: 'The command to run.' },
      restart: { type: 'boolean', description: 'Starts the shell anew instead.' },
    },
  },
};

const commands = ['view', 'create', 'str_replace', 'insert'];

const textEditor: FunctionTool = {
  kind: 'function',
  name: 'str_replace_based_edit_tool',
  description: 'Views, creates and edits text files.',
  parameters: {
    type: 'object',
    properties: {
      command: { type: 'string', enum: commands },
      path: { type: 'string', description: 'An absolute path.' },
      file_text: { type: 'string', description: 'For create: the whole file.' },
      old_str: { type: 'string', description: 'For str_replace: the text to replace, which occurs once.' },
      new_str: { type: 'string', description: 'For str_replace: the text in its place.' },
      insert_line: { type: 'integer', description: 'For insert: the line after which to insert.' },
      insert_text: { type: 'string', description: 'For insert: the text.' },
      view_range: {
        type: 'array',
        items: { type: 'integer' },
        description: 'For view: first and last line.',
      },
    },
    required: ['command', 'path'],
  },
};

/**
 * The function that stands for a tool clients run, which Claude knows by its type alone (docs/spec/messages.md#tools);
 * undefined for other types.
 */
function clientRunTools(type: string, { name }: JsonObject): FunctionTool | undefined {
  const known = /^bash_\d{8}$/.test(type) ? bash : /^text_editor_\d{8}$/.test(type) ? textEditor : undefined;
  return known && typeof name === 'string' ? { ...known, name } : known;
}

/** `tool_choice` with checked members. */
export interface GivenChoice {
  readonly type: 'auto' | 'any' | 'none' | 'tool';
  readonly name?: string | null;
  readonly disable_parallel_tool_use?: boolean | null;
}

const refusedKinds: Readonly<Record<string, string>> = {
  tool_search_tool_bm25: 'is not available here; use tool_search_tool_regex',
  tool_search_tool_bm25_20251119: 'is not available here; use tool_search_tool_regex_20251119',
  'service:advisor': 'is not available on this path; use advisor_20260301',
  'service:subagent': 'is not available on this path',
  'service:fusion': 'is not available on this path',
  'service:files': 'is not available on this path',
  'service:apply_patch': 'is not available on this path',
};

/**
 * Reads `tools` (docs/spec/messages.md#tools).
 * @param spell Turns aliases of the `service` prefix into the prefix itself.
 * @throws HeadgateError `invalid_request`, or `unprocessable` when two tools share a name.
 */
export function readTools(value: unknown, spell: Speller): ChoosableTools {
  if (value === undefined || value === null) return { tools: [] };
  const names = new Map<string, string>();
  const tools: Tool[] = [];
  let serviceTools: ServiceTool[] | undefined;
  for (const [index, entry] of asList(value, 'tools').entries()) {
    const path = `tools[${index}]`;
    const raw = asObject(entry, path);
    refuseDeep(raw, path);
    const tool = readTool(raw, path, spell);
    if (tool?.kind === 'service') serviceTools = [...(serviceTools ?? []), tool];
    else if (tool !== undefined) {
      if (tool.kind !== 'hosted') takeName(names, tool.name, path);
      tools.push(tool);
    }
  }
  const searches = serviceTools?.some((tool) => tool.type === 'service:tool_search') === true;
  return { tools: searches ? tools.map(deferring) : tools, serviceTools };
}

/** The gateway searches, so no provider need know which functions are hidden. */
function deferring(tool: Tool): Tool {
  if (tool.kind !== 'function' || tool.extra?.defer_loading !== true) return tool;
  const { defer_loading: _deferred, ...extra } = tool.extra;
  const { extra: _all, ...plain } = tool;
  return { ...plain, deferred: true, ...(Object.keys(extra).length > 0 && { extra }) };
}

function takeName(names: Map<string, string>, name: string, path: string): void {
  const earlier = names.get(name);
  if (earlier !== undefined) {
    throw contradictory(`${path}.name`, `${quote(name)} is already the name of ${earlier}`);
  }
  names.set(name, path);
}

function readTool(raw: JsonObject, path: string, spell: Speller): Tool | ServiceTool | undefined {
  const { type } = raw;
  if (type === undefined || type === null || type === 'custom') return readFunction(raw, path);
  if (typeof type !== 'string') throw malformed(`${path}.type`, `expected a string, got ${nameOf(type)}`);
  const kind = spell(type);
  const refused = refusedKinds[kind];
  if (refused !== undefined) throw malformed(`${path}.type`, `${quote(type)} ${refused}`);
  if (/^web_search_\d{8}$/.test(kind)) return webSearch(raw, kind);
  const known = clientRunTools(kind, raw);
  if (known !== undefined) return { ...known, extra: raw };
  if (/^tool_search_tool_regex(_\d{8})?$/.test(kind)) {
    if (raw.defer_loading === true) throw malformed(`${path}.defer_loading`, 'is for functions only');
    const search = { type: 'service:tool_search' };
    const read = toolKinds.rows.get('service:tool_search')?.read(search, path).tool;
    return read?.kind === 'service' ? { ...read, spelled: type } : read;
  }
  if (kind === 'advisor_20260301') {
    const parameters = typeof raw.model === 'string' ? { model: raw.model } : {};
    return toolKinds.rows.get('service:advisor')?.read({ type: 'service:advisor', parameters }, path).tool;
  }
  const row = kind.startsWith('service:') ? toolKinds.rows.get(kind) : undefined;
  if (kind === 'service:bash' && !runsHere(raw)) {
    const problem = 'must be "service" here; for a shell of your own list bash_20250124';
    throw malformed(`${path}.parameters.engine`, problem);
  }
  if (row !== undefined) return row.read(raw, path).tool;
  throw malformed(`${path}.type`, `${quote(type)} is not available on this server, leave it out`);
}

function runsHere({ parameters }: JsonObject): boolean {
  return isObject(parameters) && parameters.engine === 'service';
}

function readFunction(raw: JsonObject, path: string): FunctionTool {
  const name = textMember(raw, 'name', path);
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(name)) {
    throw malformed(`${path}.name`, 'must be 1 to 128 letters, digits, "_" or "-"');
  }
  const { strict } = raw;
  return {
    kind: 'function',
    name,
    description: optionalText(raw, 'description', path),
    parameters: objectMember(raw, 'input_schema', path),
    ...(typeof strict === 'boolean' && { strict }),
    ...extrasOf(raw),
  };
}

const functionMembers: ReadonlySet<string> = new Set([
  'type',
  'name',
  'description',
  'input_schema',
  'strict',
]);

/** Members of a function that only providers of this format know, its cache mark among them. */
function extrasOf(raw: JsonObject): { readonly extra?: JsonObject } {
  const extra = Object.entries(raw).filter(([key, value]) => !functionMembers.has(key) && value !== null);
  return extra.length === 0 ? {} : { extra: Object.fromEntries(extra) };
}

function webSearch(
  { max_uses, allowed_domains, blocked_domains, user_location }: JsonObject,
  type: string,
): HostedTool {
  const filters = {
    ...(Array.isArray(allowed_domains) && { allowed_domains }),
    ...(Array.isArray(blocked_domains) && { blocked_domains }),
  };
  return {
    kind: 'hosted',
    tool: 'web_search',
    type,
    settings: {
      ...(typeof max_uses === 'number' && { max_uses }),
      ...(Object.keys(filters).length > 0 && { filters }),
      ...(user_location !== undefined && user_location !== null && { user_location }),
    },
  };
}

/**
 * Reads `tool_choice`.
 * @throws HeadgateError `unprocessable` for a tool that is not offered, or for `any` without tools.
 */
export function readToolChoice(
  choice: GivenChoice | undefined,
  { tools, serviceTools = [] }: ChoosableTools,
): ToolChoice {
  if (choice === undefined || choice.type === 'auto') return { kind: 'auto' };
  if (choice.type === 'none') return { kind: 'none' };
  if (choice.type === 'any') {
    if (tools.length + serviceTools.length === 0) throw contradictory('tool_choice', '"any" needs tools');
    return { kind: 'required' };
  }
  const { name } = choice;
  if (typeof name !== 'string') throw malformed('tool_choice.name', 'is required, expected a string');
  if (tools.some((tool) => tool.kind === 'function' && tool.name === name)) {
    return { kind: 'tool', form: 'function', name };
  }
  const own = serviceTools.find(
    ({ type, spelled }) => spelled === name || type === name || type === `service:${name}`,
  );
  if (own !== undefined) return { kind: 'tool', form: 'function', name: serviceFunctionName(own.type) };
  const hosted = tools.find((tool) => tool.kind === 'hosted' && tool.tool === name);
  if (hosted?.kind === 'hosted') return { kind: 'hosted', tool: hosted.tool, type: hosted.type };
  throw contradictory('tool_choice.name', `no tool is named ${quote(name)}`);
}
