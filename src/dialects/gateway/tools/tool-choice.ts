import type { HostedKind } from '../../../core/hosted.ts';
import type { ServiceTool, Tool, ToolChoice } from '../../../core/request.ts';
import { serviceFunctionName } from '../../../core/tool.ts';
import { createChecker } from '../../../schema/checker.ts';
import { contradictory, malformed, nameOf, quote, quoteAll } from '../../../schema/fault.ts';
import { type KindTable, rowFor } from '../../../schema/kind-table.ts';
import { refuseDeep } from '../../../schema/refuse-deep.ts';
import { isObject, type JsonObject } from '../../../util/json.ts';
import { anyOf, choice, optional, type TSchema, Type, text } from '../../../util/json-schema.ts';
import type { Speller } from '../aliases.ts';
import { AllowedToolsSchema, readAllowedTools } from './allowed-tools.ts';
import { absentKind, OfferedTools } from './offered-tools.ts';
import { serviceTools } from './tool-kinds.ts';

const words = ['auto', 'none', 'required'] as const;
const hosted = ['web_search_preview', 'web_search_preview_2025_03_11', 'apply_patch', 'shell'];

/** Hosted kinds that the service has a tool of its own for, which may be chosen by that name as well. */
const servedKinds: ReadonlyMap<string, HostedKind> = new Map([
  ['service:web_search', 'web_search'],
  ['service:image_generation', 'image_generation'],
  ['service:shell', 'shell'],
  ['service:apply_patch', 'apply_patch'],
]);

const named = { name: text({ minLength: 1 }), namespace: optional(text({ minLength: 1 })) };
const FunctionChoiceSchema = Type.Object({ type: choice('function'), ...named });
const CustomChoiceSchema = Type.Object({ type: choice('custom'), ...named });
const HostedChoiceSchema = Type.Object({ type: choice(...hosted, ...serviceTools, 'tool_search') });

const checkFunctionChoice = createChecker(FunctionChoiceSchema);
const checkCustomChoice = createChecker(CustomChoiceSchema);

/** The public schema of `tool_choice` (docs/spec/tools.md#tool-choice). */
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

/** Every tool a request offers, the gateway's own apart. */
export interface ChoosableTools {
  readonly tools: readonly Tool[];
  readonly serviceTools?: readonly ServiceTool[];
}

type ChoiceReader = (value: JsonObject, tools: OfferedTools) => ReadToolChoice;

const forms: KindTable<ChoiceReader> = {
  key: 'type',
  rows: new Map<string, ChoiceReader>([
    ['function', readFunctionChoice],
    ['custom', readCustomChoice],
    ['allowed_tools', (value, tools) => ({ choice: readAllowedTools(value, tools), echo: value })],
    ...hosted.map((name): [string, ChoiceReader] => [name, readHostedChoice]),
    ...Array.from(serviceTools, (name): [string, ChoiceReader] => [name, createServiceReader(name)]),
    ['tool_search', createServiceReader('service:tool_search')],
  ]),
};

/**
 * Reads `tool_choice`.
 * @param tools Every tool the request offers, which the choice must agree with.
 * @throws HeadgateError `invalid_request`, or `unprocessable` when it names a tool that is not there.
 */
export function readToolChoice(
  value: unknown,
  { tools, serviceTools = [] }: ChoosableTools,
  spell: Speller,
): ReadToolChoice {
  if (value === undefined || value === null) return { choice: { kind: 'auto' }, echo: 'auto' };
  if (typeof value === 'string') return readWord(value, tools.length + serviceTools.length);
  if (!isObject(value))
    throw malformed('tool_choice', `expected a string or an object, got ${nameOf(value)}`);
  refuseDeep(value, 'tool_choice');
  return rowFor(forms, value, 'tool_choice', spell)(value, new OfferedTools(tools, serviceTools));
}

function readWord(value: string, tools: number): ReadToolChoice {
  const kind = words.find((word) => word === value);
  if (kind === undefined) {
    throw malformed('tool_choice', `must be one of ${quoteAll(words)} or an object, got ${quote(value)}`);
  }
  if (kind === 'required' && tools === 0) {
    throw contradictory('tool_choice', '"required" needs at least one tool in tools');
  }
  return { choice: { kind }, echo: kind };
}

function readFunctionChoice(value: JsonObject, tools: OfferedTools): ReadToolChoice {
  return { choice: readNamed('function', checkFunctionChoice(value, 'tool_choice'), tools), echo: value };
}

function readCustomChoice(value: JsonObject, tools: OfferedTools): ReadToolChoice {
  // Clients reject a whole answer over a form they do not know, so this one is shown as its effect.
  return { choice: readNamed('custom', checkCustomChoice(value, 'tool_choice'), tools), echo: 'required' };
}

function readNamed(
  form: 'function' | 'custom',
  { name, namespace: stated }: { readonly name: string; readonly namespace?: string | null },
  tools: OfferedTools,
): ToolChoice {
  const namespace = tools.placeOf({ form, name, namespace: stated ?? undefined }, 'tool_choice.name');
  return { kind: 'tool', form, name, ...(namespace === undefined ? {} : { namespace }) };
}

function readHostedChoice(value: JsonObject, tools: OfferedTools): ReadToolChoice {
  const { tool } = tools.hosted(value, 'tool_choice');
  return { choice: { kind: 'hosted', tool, type: String(value.type) }, echo: value };
}

function createServiceReader(name: string): ChoiceReader {
  const kind = servedKinds.get(name);
  return (value, tools) => {
    const own = tools.ofService(name);
    if (own !== undefined) {
      const named = { kind: 'tool', form: 'function', name: serviceFunctionName(own.type) } as const;
      return { choice: named, echo: 'required' };
    }
    const found = tools.ofKind(kind);
    if (found === undefined) throw absentKind(value.type, 'tool_choice');
    return { choice: { kind: 'hosted', tool: found.tool, type: found.type }, echo: 'required' };
  };
}
