import { type HostedItemType, hostedKindOf } from '../core/hosted.ts';
import type { CallOutputItem, ContentPart, HostedItem, Item, ServiceItem } from '../core/request.ts';
import { reservedServices } from '../core/reserved-services.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { pictureType } from '../util/picture-type.ts';
import { featureOfHostedItem, featureOfPart } from './features-used.ts';
import type { FunctionNames } from './hosted-functions.ts';
import type { RequestRewriter } from './request-rewriter.ts';
import { readShellAction } from './tool-arguments.ts';

/**
 * Rewrites hosted items and items of the gateway's own tools as function calls with outputs, at their places
 * (docs/spec/tools.md#reserved-service-items, docs/spec/tools.md#replayed-uses). Nothing is run again.
 * @param names Functions that replace tools which the client runs.
 */
export function rewriteUses(rewriter: RequestRewriter, names: FunctionNames): void {
  const hosted = rewriter.emulationOf('item.hosted');
  const service = rewriter.emulationOf('item.service');
  const { inexpressible } = rewriter.destination.support;
  const { items } = rewriter.request;
  const isNative = rewriter.destination.support['item.hosted'] === 'native';
  const isInexpressible = (item: HostedItem) =>
    inexpressible?.has(item.type) === true || (isNative && lacksContainer(item));
  const changes = items.some((item) => item.kind === 'hosted' && isInexpressible(item));
  if (hosted === undefined && service === undefined && names.size === 0 && !changes) return;
  const taken = new Set(items.flatMap((item) => (item.kind === 'call' ? item.callId : [])));
  const withId = (use: RecordedUse, index: number): Use => {
    let id = `call_${index}`;
    while (taken.has(id)) id += '_';
    return { ...use, kind: 'use', callId: use.callId ?? id };
  };
  const uses = items.map((item, index): Item | Use | undefined => {
    if (item.kind === 'service' && service !== undefined) {
      return reservedServices.has(item.type) ? undefined : withId(readServiceItem(item), index);
    }
    if (item.kind !== 'hosted') return item;
    const rewritten =
      featureOfHostedItem(item.type) === 'item.hosted'
        ? hosted !== undefined || isInexpressible(item)
        : names.has(hostedKindOf[item.type]);
    return rewritten ? withId(readHostedItem(item, names), index) : item;
  });
  const inWords = hosted === 'as-message' || service === 'as-message';
  rewriter.change({ items: inWords ? writeMessages(uses) : writePairs(uses, rewriter) });
  const how = inWords ? 'told in words' : 'told as calls of functions with their outputs';
  const isTold = hosted !== undefined || (isNative && items.some(lacksContainer));
  if (isTold) rewriter.note('item.hosted', 'emulated', how);
  if (service !== undefined) rewriter.note('item.service', 'emulated', `${how}; reserved kinds are left out`);
}

/** Whether code ran at a maker that does not say where: the dialect that has such items cannot leave it open. */
export function lacksContainer(item: Item): boolean {
  return item.kind === 'hosted' && item.type === 'code_interpreter_call' && item.fields.container_id === '';
}

/** Describes earlier tool uses as text where the endpoint has no functions (docs/spec/tools.md#replayed-uses). */
function writeMessages(entries: readonly (Item | Use | undefined)[]): readonly Item[] {
  return entries.flatMap((entry): Item | Item[] => {
    if (entry?.kind !== 'use') return entry ?? [];
    const output = entry.output?.map((part) => (part.kind === 'text' ? part : hiddenPicture)) ?? [];
    const call: ContentPart[] =
      entry.input === undefined
        ? []
        : [{ kind: 'text', text: `(Tool ${entry.name} was called with ${entry.input})` }];
    const role = entry.input === undefined ? 'user' : 'assistant';
    return { kind: 'message', role, content: [...call, ...output] };
  });
}

type Use = RecordedUse & { readonly kind: 'use'; readonly callId: string };

function writePairs(
  entries: readonly (Item | Use | undefined)[],
  rewriter: RequestRewriter,
): readonly Item[] {
  const answered = new Set(
    entries.flatMap((entry) => (entry?.kind === 'use' && entry.output ? entry.callId : [])),
  );
  const called = new Set<string>();
  return entries.flatMap((entry, index): Item | Item[] => {
    if (entry?.kind !== 'use') return entry ?? [];
    const { name, input, output } = entry;
    let { callId } = entry;
    // Ids of items may repeat; a call with its own output is independent of others.
    if (input !== undefined && output !== undefined && called.has(callId)) callId = `${callId}_${index}`;
    const items: Item[] = [];
    if (input !== undefined && !called.has(callId)) {
      called.add(callId);
      items.push({ kind: 'call', form: 'function', callId, name, input });
    }
    if (output !== undefined) items.push(answerOf(callId, output, called.has(callId), rewriter));
    // Providers refuse a call without an output.
    else if (!answered.has(callId)) items.push(answerOf(callId, [], true, rewriter));
    return items;
  });
}

/** The output of a call, or plain context where there is no call. */
function answerOf(
  callId: string,
  output: readonly ContentPart[],
  called: boolean,
  rewriter: RequestRewriter,
): Item {
  const parts = output.map((part) =>
    part.kind === 'text' || isTaken(part, rewriter) ? part : hiddenPicture,
  );
  const shown: readonly ContentPart[] =
    parts.length > 0 ? parts : [{ kind: 'text', text: 'No output was kept.' }];
  const answer: CallOutputItem = { kind: 'call_output', form: 'function', callId, output: shown };
  return called ? answer : { kind: 'message', role: 'user', content: shown };
}

function isTaken(part: ContentPart, rewriter: RequestRewriter): boolean {
  const feature = featureOfPart(part);
  return feature === undefined || (rewriter.reaches('input.tool_output.media') && rewriter.reaches(feature));
}

const hiddenPicture: ContentPart = { kind: 'text', text: '(A picture that cannot be shown here.)' };

/** A tool use in an item: its call, its result, or both. */
interface RecordedUse {
  /** The id that the item gives the call; absent without one. */
  readonly callId?: string;
  /** The function that replaces the tool. */
  readonly name: string;
  /** The tool's input as JSON text; absent in items with only an output. */
  readonly input?: string;
  /** The result; absent in items with only a call. */
  readonly output?: readonly ContentPart[];
}

/** Which members of an item were the tool's input; the others are its result. */
interface Shape {
  readonly holds?: 'call' | 'output';
  readonly input?: readonly string[];
  /** Members with a picture, in base64 or as an address. */
  readonly pictures?: readonly string[];
}

const shapes: Readonly<Record<HostedItemType, Shape>> = {
  web_search_call: { input: ['action'] },
  file_search_call: { input: ['queries'] },
  image_generation_call: { input: ['prompt'], pictures: ['result'] },
  code_interpreter_call: { input: ['code', 'container_id'] },
  computer_call: { holds: 'call', input: ['action'] },
  computer_call_output: { holds: 'output', pictures: ['output'] },
  local_shell_call: { holds: 'call' },
  local_shell_call_output: { holds: 'output' },
  shell_call: { holds: 'call' },
  shell_call_output: { holds: 'output' },
  apply_patch_call: { holds: 'call' },
  apply_patch_call_output: { holds: 'output' },
  mcp_list_tools: { input: ['server_label'] },
  mcp_approval_request: { holds: 'call', input: ['server_label', 'name', 'arguments'] },
  mcp_approval_response: { holds: 'output' },
  mcp_call: { input: ['server_label', 'name', 'arguments'] },
};

/**
 * Reads the tool use in a hosted item.
 * @param names Functions that replace tools; other tools keep their names.
 */
function readHostedItem(item: HostedItem, names: FunctionNames): RecordedUse {
  const kind = hostedKindOf[item.type];
  const name = item.type === 'mcp_list_tools' ? item.type : (names.get(kind) ?? kind);
  const shape = shapes[item.type];
  // What one maker sealed means nothing to another, and is not for its eyes.
  const { signature, format, ...fields } = item.fields;
  const { call_id, approval_request_id, ...members } = { ...fields, ...outcomeOf(item) };
  const callId = textOf(call_id) ?? textOf(approval_request_id) ?? item.id;
  const input = shape.holds === 'output' ? undefined : inputOf(item.type, members, shape);
  const output = shape.holds === 'call' ? undefined : outputOf(withoutInput(members, shape), shape);
  return { callId, name, input, output };
}

/** Only the status says whether a patch was applied, unless the output reports success. */
function outcomeOf({ type, status, fields }: HostedItem): JsonObject {
  if (type !== 'apply_patch_call_output') return {};
  return status === 'failed' || !fields.output ? { status } : {};
}

function inputOf(type: HostedItemType, members: JsonObject, shape: Shape): string {
  const { action, operation, arguments: raw } = members;
  switch (type) {
    case 'shell_call':
      return isShellInput(raw) ? raw : JSON.stringify(readShellAction(objectOf(action)));
    case 'local_shell_call':
      return JSON.stringify(readShellAction(objectOf(action)));
    case 'apply_patch_call':
      return JSON.stringify(objectOf(operation));
    case 'web_search_call': {
      const { sources: _sources, ...asked } = objectOf(action);
      return JSON.stringify(asked);
    }
    default:
      return JSON.stringify(pick(members, shape.input ?? []));
  }
}

/** What the model itself wrote stays unchanged, so that cached prefixes stay valid. */
function isShellInput(raw: unknown): raw is string {
  return typeof raw === 'string' && /^\s*\{\s*"commands"/.test(raw);
}

function withoutInput(members: JsonObject, shape: Shape): JsonObject {
  const { sources } = objectOf(members.action);
  const rest = Object.entries(members).filter(([name]) => !shape.input?.includes(name));
  return { ...Object.fromEntries(rest), ...(sources === undefined ? {} : { sources }) };
}

const serviceShapes: Readonly<Record<string, Shape>> = {
  'service:datetime': { input: ['timezone'] },
  'service:web_search': { input: ['action'] },
  'service:web_fetch': { input: ['url'] },
  'service:image_generation': { input: ['prompt'], pictures: ['imageB64', 'imageUrl', 'result'] },
  'service:tool_search': { input: ['query'] },
  'service:bash': { input: ['command'] },
  'service:shell': { input: ['action'] },
  'service:apply_patch': { input: ['operation'] },
  'service:experimental__search_models': { input: ['query'] },
  'service:files': { input: ['operation', 'file_id', 'filename'] },
  'service:advisor': { input: ['prompt', 'instance_name'] },
  'service:subagent': { input: ['task_name', 'task_description', 'instance_name'] },
};

/** Reads the tool use in an item of one of the gateway's own tools (docs/spec/tools.md#replayed-uses). */
function readServiceItem({ type, id, fields }: ServiceItem): RecordedUse {
  const shape = serviceShapes[type] ?? {};
  const { call_id, arguments: raw, encrypted_content: _sealed, ...members } = fields;
  const { sources: _sources, ...action } = objectOf(members.action);
  const given = { ...pick(members, shape.input ?? []), ...('action' in members ? { action } : {}) };
  return {
    callId: textOf(call_id) ?? id,
    name: type.replace(/\W/g, '_'),
    input: textOf(raw) ?? JSON.stringify(given),
    output: outputOf(withoutInput(members, shape), shape),
  };
}

function outputOf(members: JsonObject, shape: Shape): readonly ContentPart[] {
  const parts: ContentPart[] = [];
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) {
    const picture = shape.pictures?.includes(name) ? pictureOf(value) : undefined;
    if (picture !== undefined) parts.push(picture);
    else if (value !== null && value !== undefined) result[name] = value;
  }
  const names = Object.keys(result);
  const only = names.length === 1 ? result[names[0] ?? ''] : result;
  const text = names.length === 0 ? '' : typeof only === 'string' ? only : JSON.stringify(only);
  return text === '' ? parts : [{ kind: 'text', text }, ...parts];
}

function pictureOf(value: unknown): ContentPart | undefined {
  // The address of a file of the gateway means nothing to a provider: it stays text.
  if (typeof value === 'string' && value !== '' && !/^\/(api\/)?v1\/files\//.test(value))
    return { kind: 'image', url: addressOf(value), detail: 'auto' };
  const { image_url, file_id } = objectOf(value);
  if (typeof image_url === 'string') return { kind: 'image', url: image_url, detail: 'auto' };
  return typeof file_id === 'string' ? { kind: 'image', fileId: file_id, detail: 'auto' } : undefined;
}

function addressOf(picture: string): string {
  if (/^(https?|data):/i.test(picture)) return picture;
  return `data:${pictureType(picture)};base64,${picture}`;
}

function pick(members: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => (members[name] === undefined ? [] : [[name, members[name]]])),
  );
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
