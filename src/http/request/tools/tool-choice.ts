import type { HeadgateError } from '../../../core/errors.ts';
import { type TSchema, Type } from '../../../core/json-schema.ts';
import type { JsonObject, Tool, ToolChoice } from '../../../core/request.ts';
import type { Speller } from '../aliases.ts';
import { createChecker } from '../checker.ts';
import { contradictory, malformed, nameOf, quote, quoteAll, show } from '../fault.ts';
import { asObject, isObject, type KindTable, rowFor } from '../kind-table.ts';
import { refuseDeep } from '../refuse-deep.ts';
import { anyObject, anyOf, choice, list, text } from '../schema.ts';
import { serviceTools } from './tool-kinds.ts';

const words = ['auto', 'none', 'required'] as const;
const hosted = ['web_search_preview', 'web_search_preview_2025_03_11', 'apply_patch', 'shell'];

const FunctionChoiceSchema = Type.Object({ type: choice('function'), name: text({ minLength: 1 }) });
const CustomChoiceSchema = Type.Object({ type: choice('custom'), name: text({ minLength: 1 }) });
const AllowedToolsSchema = Type.Object({
  type: choice('allowed_tools'),
  mode: choice('auto', 'required'),
  tools: list(anyObject()),
});
const HostedChoiceSchema = Type.Object({ type: choice(...hosted, ...serviceTools) });

const checkFunctionChoice = createChecker(FunctionChoiceSchema);
const checkCustomChoice = createChecker(CustomChoiceSchema);
const checkAllowedTools = createChecker(AllowedToolsSchema);

/** The public schema of `tool_choice` (responses.md 6.1). */
export const ToolChoiceSchema: TSchema = anyOf(
  choice(...words),
  FunctionChoiceSchema,
  CustomChoiceSchema,
  AllowedToolsSchema,
  HostedChoiceSchema,
);

/** Which tools may be called, and how the response repeats the choice. */
export interface ReadToolChoice {
  readonly choice: ToolChoice;
  readonly echo: string | JsonObject;
}

type ChoiceReader = (value: JsonObject, tools: readonly Tool[]) => ReadToolChoice;

const forms: KindTable<ChoiceReader> = {
  key: 'type',
  rows: new Map<string, ChoiceReader>([
    ['function', readFunctionChoice],
    ['custom', readCustomChoice],
    ['allowed_tools', readAllowedTools],
    ...[...hosted, ...serviceTools].map((name): [string, ChoiceReader] => [name, refuseAbsentTool]),
  ]),
};

/**
 * Reads `tool_choice`.
 * @param tools The tools of the same request, which the choice must agree with.
 * @throws HeadgateError `invalid_request`, or `unprocessable` when it names a tool that is not there.
 */
export function readToolChoice(value: unknown, tools: readonly Tool[], spell: Speller): ReadToolChoice {
  if (value === undefined || value === null) return { choice: { kind: 'auto' }, echo: 'auto' };
  if (typeof value === 'string') return readWord(value, tools);
  if (!isObject(value))
    throw malformed('tool_choice', `expected a string or an object, got ${nameOf(value)}`);
  refuseDeep(value, 'tool_choice');
  return rowFor(forms, value, 'tool_choice', spell)(value, tools);
}

function readWord(value: string, tools: readonly Tool[]): ReadToolChoice {
  const kind = words.find((word) => word === value);
  if (kind === undefined) {
    throw malformed('tool_choice', `must be one of ${quoteAll(words)} or an object, got ${quote(value)}`);
  }
  if (kind === 'required' && tools.length === 0) {
    throw contradictory('tool_choice', '"required" needs at least one tool in tools');
  }
  return { choice: { kind }, echo: kind };
}

function readFunctionChoice(value: JsonObject, tools: readonly Tool[]): ReadToolChoice {
  const { name } = checkFunctionChoice(value, 'tool_choice');
  requireTool('function', name, tools, 'tool_choice.name');
  return { choice: { kind: 'tool', form: 'function', name }, echo: value };
}

function readCustomChoice(value: JsonObject, tools: readonly Tool[]): ReadToolChoice {
  const { name } = checkCustomChoice(value, 'tool_choice');
  requireTool('custom', name, tools, 'tool_choice.name');
  // Clients reject a whole answer over a form they do not know, so this one is shown as its effect.
  return { choice: { kind: 'tool', form: 'custom', name }, echo: 'required' };
}

function readAllowedTools(value: JsonObject, tools: readonly Tool[]): ReadToolChoice {
  const allowed = checkAllowedTools(value, 'tool_choice');
  const known = new Set(tools.map((tool) => `${tool.kind} ${tool.name}`));
  const names = allowed.tools.map((entry, index) => {
    const path = `tool_choice.tools[${index}]`;
    const { type, name } = asObject(entry, path);
    if (typeof type !== 'string') throw malformed(`${path}.type`, `expected a string, got ${nameOf(type)}`);
    if (type !== 'function' && type !== 'custom') {
      throw contradictory(`${path}.type`, `tools holds no ${show(type)} tool`);
    }
    if (typeof name !== 'string') throw malformed(`${path}.name`, `expected a string, got ${nameOf(name)}`);
    if (!known.has(`${type} ${name}`)) throw absentTool(type, name, `${path}.name`);
    return name;
  });
  if (names.length > 0) return { choice: { kind: 'allowed', mode: allowed.mode, names }, echo: value };
  if (allowed.mode === 'required') {
    throw contradictory('tool_choice.tools', 'mode "required" needs at least one tool');
  }
  return { choice: { kind: 'none' }, echo: value };
}

function refuseAbsentTool(value: JsonObject): never {
  throw contradictory('tool_choice.type', `tools holds no ${show(value.type)} tool`);
}

function requireTool(form: Tool['kind'], name: string, tools: readonly Tool[], path: string): void {
  if (tools.some((tool) => tool.kind === form && tool.name === name)) return;
  throw absentTool(form, name, path);
}

function absentTool(form: Tool['kind'], name: string, path: string): HeadgateError {
  return contradictory(path, `tools holds no ${form} tool named ${quote(name)}`);
}
