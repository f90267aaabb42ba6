import type { FunctionTool, TextFormat } from '../core/request.ts';
import type { Draft } from './draft.ts';
import { createFenceRestorer, createForcedRestorer } from './json-restorers.ts';

type SchemaFormat = Extract<TextFormat, { kind: 'json_schema' }>;

/** Makes the answer JSON where the endpoint cannot enforce it (docs/spec/requests.md#text-format). */
export function shapeText(draft: Draft): void {
  const { format } = draft.request;
  if (format.kind === 'text') return;
  const feature = `text.${format.kind}` as const;
  const isOutOfReach = !enforces(draft);
  const emulation = isOutOfReach ? 'instructed' : draft.emulationOf(feature);
  if (emulation === undefined) return;
  if (emulation === 'forced-tool' && format.kind === 'json_schema' && canForce(draft, format)) {
    forceTool(draft, format);
    draft.note(feature, 'emulated', 'asked for as the arguments of a function the model must call');
    return;
  }
  const plain = format.kind === 'json_schema' && !isOutOfReach && draft.reaches('text.json_object');
  draft.change({
    format: plain ? { kind: 'json_object' } : { kind: 'text' },
    instructions: [draft.request.instructions, instructionFor(format)].filter(Boolean).join('\n\n'),
  });
  draft.restorers.push(createFenceRestorer());
  const how = plain ? 'asked for in the instructions, with JSON mode' : 'asked for in the instructions';
  const why = isOutOfReach ? ', because the provider enforces neither free members nor recursion' : '';
  draft.note(feature, 'emulated', how + why);
}

/** Whether the endpoint can enforce the schema of a request that has one, where it enforces schemas at all. */
export function enforces(draft: Draft): boolean {
  const { format } = draft.request;
  if (format.kind !== 'json_schema' || draft.supportOf('text.json_schema') !== 'native') return true;
  return draft.destination.support.enforces?.(format.schema) !== false;
}

/**
 * Beside other tools, a forced one would keep the model from calling them; and a thinking model cannot be forced.
 */
function canForce(draft: Draft, { schema }: SchemaFormat): boolean {
  const { tools, reasoning } = draft.request;
  const mandatory = draft.destination.model.reasoning?.mandatory === true;
  const thinks = mandatory || (reasoning !== undefined && reasoning.effort !== 'none');
  const offers = tools.length === 0 && draft.reaches('tool.function') && draft.reaches('tool_choice.named');
  return offers && !thinks && schema.type === 'object';
}

function forceTool(draft: Draft, { name, schema, description, strict }: SchemaFormat): void {
  const tool: FunctionTool = {
    kind: 'function',
    name: name.replace(/[^\w-]/g, '_').slice(0, 64),
    description: description ?? 'Gives the answer to the user.',
    parameters: schema,
    strict: strict === true && draft.reaches('tool.function.strict') ? true : undefined,
  };
  draft.change({
    format: { kind: 'text' },
    tools: [tool],
    toolChoice: { kind: 'tool', form: 'function', name: tool.name },
    parallelToolCalls: undefined,
  });
  draft.restorers.push(createForcedRestorer(tool.name));
}

function instructionFor(format: Exclude<TextFormat, { kind: 'text' }>): string {
  const json = (what: string) =>
    `Answer with one JSON ${what} and nothing else: no other text, no code fence.`;
  if (format.kind === 'json_object') return json('object');
  const about = format.description === undefined ? '' : ` It is: ${format.description}`;
  return `${json('value')}${about} It must fit this JSON schema:\n${JSON.stringify(format.schema)}`;
}
