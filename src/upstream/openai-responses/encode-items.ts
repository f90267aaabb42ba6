import { createHash } from 'node:crypto';
import type * as Wire from 'openai/resources/responses/responses';
import { asyncToolNames, offeredTools, qualifiedName } from '../../core/client-tools.ts';
import type { Annotation } from '../../core/delta.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { HostedItemType } from '../../core/hosted.ts';
import type {
  AdditionalToolsItem,
  CacheControl,
  CallItem,
  CallOutputItem,
  CanonicalChat,
  CompactionItem,
  ContentPart,
  FilePart,
  HostedItem,
  ImagePart,
  Item,
  MessageItem,
  ReasoningItem,
  TextPart,
} from '../../core/request.ts';
import { isObject, type JsonObject, parseJson } from '../../util/json.ts';
import { fitCallId } from '../fit-call-id.ts';
import { inlineFile } from '../inline-file.ts';
import { anyIds, CallIds, Calls, keyOf, stillRunning } from '../pair-tool-calls.ts';
import { encodeTool, type WireTool } from './encode-tools.ts';
import type { ResponsesProfile } from './quirks.ts';

interface WireMessage {
  readonly type: 'message';
  readonly role: MessageItem['role'];
  readonly content: readonly WirePart[];
  readonly phase?: MessageItem['phase'];
}

interface WireAdditionalTools {
  readonly type: 'additional_tools';
  readonly role: 'developer';
  readonly tools: readonly (WireTool | JsonObject)[];
}

interface WireCompaction {
  readonly type: CompactionItem['type'];
  readonly encrypted_content?: string;
}

/** An input item in its wire form: similar to the dialect's own types, but mostly without ids. */
export type WireItem =
  | WireMessage
  | Omit<Wire.ResponseReasoningItem, 'id'>
  | (Wire.ResponseFunctionToolCall & { readonly async?: true })
  | (Wire.ResponseCustomToolCall & { readonly async?: true })
  | Wire.ResponseInputItem.FunctionCallOutput
  | Wire.ResponseCustomToolCallOutput
  | WireHostedItem
  | WireAdditionalTools
  | WireCompaction;

/** Longest id of a call. */
const longestCallId = 64;

/** What the items of one call are encoded with. */
interface Encoding {
  readonly profile: ResponsesProfile;
  readonly marks: MarksPrefixes;
  readonly localCalls: ReadonlyMap<string, JsonObject>;
  /** Qualified names of tools for whose outputs the model does not wait. */
  readonly awaitless: ReadonlySet<string>;
}

/**
 * Encodes the conversation in order. Ids are left out wherever the dialect allows it
 * (docs/spec/items.md#ids-and-status): with `store: false` the provider keeps nothing and answers an unknown id with
 * 404, even on a reasoning item with its whole content in `encrypted_content`. Hosted items keep theirs where the
 * schema requires one, as for approvals, which refer to their request. Calls without an output get a placeholder,
 * because the dialect wants an output for each.
 */
export function encodeItems(
  { items, tools }: Pick<CanonicalChat, 'items' | 'tools'>,
  profile: ResponsesProfile,
  marks: MarksPrefixes,
): WireItem[] {
  const awaitless = asyncToolNames(offeredTools({ items, tools }));
  const encoding = { profile, marks, localCalls: findLocalShellCalls(items), awaitless };
  return withOutputs(distinctCalls(items), awaitless).flatMap((item): WireItem | readonly WireItem[] => {
    const wire = encodeItem(item, encoding);
    if (wire === undefined) return [];
    return item.kind === 'hosted' || item.extra === undefined
      ? wire
      : { ...wire, ...foreignExtra(item.extra) };
  });
}

/** The conversation with an id of its own for each call; an output belongs to the first call of its id that has none yet. */
function distinctCalls(items: readonly Item[]): readonly Item[] {
  const calls = items.flatMap((item) => (item.kind === 'call' ? item.callId : []));
  if (new Set(calls).size === calls.length) return items;
  const ids = new CallIds(anyIds);
  const open = new Calls();
  return items.map((item) => {
    if (item.kind === 'call_output') return { ...item, callId: open.take(item)?.id ?? item.callId };
    if (item.kind !== 'call') return item;
    const id = ids.next(item.callId);
    open.add({ call: item, id });
    return { ...item, callId: id };
  });
}

/** The conversation with a placeholder for each output that the model misses, after the calls of its turn. */
function withOutputs(items: readonly Item[], awaitless: ReadonlySet<string>): readonly Item[] {
  const answered = new Set(items.flatMap((item) => (item.kind === 'call_output' ? keyOf(item) : [])));
  let open: CallOutputItem[] = [];
  return items.flatMap((item, place) => {
    if (item.kind !== 'call') return item;
    if (!answered.has(keyOf(item)) && !isAmong(awaitless, item)) open.push(toRunning(item));
    if (open.length === 0 || items[place + 1]?.kind === 'call') return item;
    const running = open;
    open = [];
    return [item, ...running];
  });
}

function toRunning({ form, callId }: CallItem): CallOutputItem {
  return { kind: 'call_output', form, callId, output: [{ kind: 'text', text: stillRunning }] };
}

function isAmong(names: ReadonlySet<string>, { name, namespace }: CallItem): boolean {
  return names.size > 0 && names.has(qualifiedName(name, namespace));
}

function encodeItem(item: Item, { profile, marks, localCalls, awaitless }: Encoding): WireItem | undefined {
  switch (item.kind) {
    case 'message':
      return encodeMessage(item, marks);
    case 'reasoning':
      return encodeReasoning(item, profile);
    case 'call':
      return encodeCall(item, isAmong(awaitless, item) || undefined);
    case 'call_output':
      return encodeCallOutput(item, marks);
    case 'hosted':
      return encodeHostedItem(item, localCalls);
    case 'additional_tools':
      return encodeAdditionalTools(item, profile);
    case 'compaction':
      return { type: item.type, encrypted_content: item.encrypted };
    // Translation has rewritten these before (see `responsesSupport`).
    case 'service':
    case 'agent_message':
    case 'configuration_update':
      return undefined;
  }
}

function encodeMessage(item: MessageItem, marks: MarksPrefixes): WireMessage | undefined {
  if (item.content.length === 0) return undefined;
  return { type: 'message', role: item.role, content: encodeContent(item, marks), phase: item.phase };
}

function encodeReasoning(item: ReasoningItem, profile: ResponsesProfile): WireItem | undefined {
  const readable = item.format === undefined || item.format === profile.format;
  const encrypted = readable ? item.encrypted : undefined;
  const { content, summary } = profile.takesReasoningText ? item : asSummary(item);
  if (encrypted === undefined && content.length === 0 && summary.length === 0) return undefined;
  return {
    type: 'reasoning',
    summary: summary.map((text) => ({ type: 'summary_text', text })),
    content: content.length > 0 ? content.map((text) => ({ type: 'reasoning_text', text })) : undefined,
    encrypted_content: encrypted,
  };
}

/** Text that cannot go into its own member goes into the other one rather than being lost. */
function asSummary({ content, summary }: ReasoningItem): Pick<ReasoningItem, 'content' | 'summary'> {
  return { content: [], summary: summary.length > 0 ? summary : content };
}

function encodeCall(item: CallItem, async: true | undefined): WireItem {
  const { name, input, namespace } = item;
  const call_id = fitCallId(item.callId, longestCallId);
  if (item.form === 'custom') return { type: 'custom_tool_call', call_id, name, input, namespace, async };
  return { type: 'function_call', call_id, name, arguments: input, namespace, async };
}

function encodeCallOutput(item: CallOutputItem, marks: MarksPrefixes): WireItem {
  const type = item.form === 'custom' ? 'custom_tool_call_output' : 'function_call_output';
  return {
    type,
    call_id: fitCallId(item.callId, longestCallId),
    output: encodeToolOutput(item.output, marks),
  };
}

function encodeAdditionalTools(item: AdditionalToolsItem, profile: ResponsesProfile): WireAdditionalTools {
  // The dialect has many roles in its output and only this one in its input.
  return {
    type: 'additional_tools',
    role: 'developer',
    tools: [...item.tools.map((tool) => encodeTool(tool, profile)), ...(item.others ?? [])],
  };
}

/** A content part of a message in this dialect. */
type WirePart = Wire.ResponseInputContent | Wire.ResponseInputAudio | Wire.ResponseContent;

/** Whether to mark the ends of cacheable prefixes, which only newer models accept. */
type MarksPrefixes = boolean;

/** Encodes the parts of a message: a model's text as output, everything else as input. */
function encodeContent(message: MessageItem, marks: MarksPrefixes): WirePart[] {
  return message.content.map((part) => encodePart(part, message.role === 'assistant', marks));
}

/** Encodes a tool's output: a string where it is all text, else an array of parts. */
function encodeToolOutput(
  output: readonly ContentPart[],
  marks: MarksPrefixes,
): string | Wire.ResponseInputContent[] {
  const texts = output.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  const marked = marks && output.some((part) => 'cacheControl' in part && part.cacheControl !== undefined);
  if (texts.length === output.length && !marked) return texts.join('\n');
  return output.map((part) => encodeInputPart(part, marks));
}

function encodePart(part: ContentPart, fromModel: boolean, marks: MarksPrefixes): WirePart {
  if (part.kind === 'refusal') return { type: 'refusal', refusal: part.text };
  if (part.kind === 'audio') {
    return { type: 'input_audio', input_audio: { data: part.data, format: part.format } };
  }
  if (part.kind === 'text' && fromModel) return encodeOutputText(part);
  return encodeInputPart(part, marks);
}

function encodeOutputText({ text, annotations = [], logprobs }: TextPart): Wire.ResponseOutputText {
  const tokens = logprobs?.map(({ token, logprob, bytes, top_logprobs }) => ({
    token,
    logprob,
    bytes: [...bytes],
    top_logprobs: top_logprobs.map((other) => ({ ...other, bytes: [...other.bytes] })),
  }));
  return { type: 'output_text', text, annotations: annotations.map(encodeAnnotation), logprobs: tokens };
}

function encodeAnnotation(annotation: Annotation): Wire.ResponseOutputText['annotations'][number] {
  if (annotation.type === 'file_path') return annotation;
  if (annotation.type === 'file_citation') {
    const { type, file_id, filename, index } = annotation;
    return { type, file_id, filename, index };
  }
  const { type, url, title, start_index, end_index } = annotation;
  return { type, url, title, start_index, end_index };
}

function encodeInputPart(part: ContentPart, marks: MarksPrefixes): Wire.ResponseInputContent {
  switch (part.kind) {
    case 'text':
      return { type: 'input_text', text: part.text, ...breakpoint(part.cacheControl, marks) };
    case 'refusal':
      return { type: 'input_text', text: part.text };
    case 'image':
      return { ...encodeImage(part), ...breakpoint(part.cacheControl, marks) };
    case 'file':
      return { ...encodeFile(part), ...breakpoint(part.cacheControl, marks) };
    default:
      throw new HeadgateError('upstream_invalid_request', `The provider takes no ${part.kind} input here.`);
  }
}

function breakpoint(
  control: CacheControl | undefined,
  marks: MarksPrefixes,
): Pick<Wire.ResponseInputText, 'prompt_cache_breakpoint'> {
  return marks && control !== undefined ? { prompt_cache_breakpoint: { mode: 'explicit' } } : {};
}

function encodeImage(part: ImagePart): Wire.ResponseInputImage {
  return { type: 'input_image', image_url: part.url, file_id: part.fileId, detail: part.detail };
}

function encodeFile(part: FilePart): Wire.ResponseInputFile {
  const file = inlineFile(part);
  if (file === undefined) {
    return { type: 'input_file', file_url: part.url, file_id: part.fileId, filename: part.filename };
  }
  const ending = file.mediaType === 'application/pdf' ? 'pdf' : 'txt';
  return {
    type: 'input_file',
    file_data: `data:${file.mediaType};base64,${file.base64}`,
    // Files sent as bytes need a name.
    filename: part.filename ?? `document.${ending}`,
  };
}

/** A hosted item in its wire form: its own members, checked when the request was read. */
type WireHostedItem = JsonObject & { readonly type: HostedItemType };

/** Members that the gateway adds to items; no provider knows them. */
const ownMembers: ReadonlySet<string> = new Set([
  'subagent_id',
  'subagent_items',
  'instance_name',
  'signature',
  'format',
]);

/** Kinds that need an id, because another item refers to it or the schema requires it. */
const namedKinds: ReadonlySet<HostedItemType> = new Set([
  'file_search_call',
  'web_search_call',
  'image_generation_call',
  'code_interpreter_call',
  'computer_call',
  'local_shell_call',
  'local_shell_call_output',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_call',
]);

/** Kinds that need a status. */
const statedKinds: ReadonlySet<HostedItemType> = new Set([
  'file_search_call',
  'web_search_call',
  'image_generation_call',
  'code_interpreter_call',
  'computer_call',
  'local_shell_call',
  'apply_patch_call',
  'apply_patch_call_output',
]);

/** Members of a kind that only the gateway's own tools set. */
const foreignMembers: { readonly [Type in HostedItemType]?: readonly string[] } = {
  image_generation_call: ['prompt'],
  shell_call: ['arguments'],
  shell_call_output: ['container_id', 'files', 'error'],
};

/** The unknown members of an item, without those that never leave the gateway. */
function foreignExtra(extra: JsonObject | undefined): JsonObject {
  if (extra === undefined) return {};
  return Object.fromEntries(Object.entries(extra).filter(([name]) => !ownMembers.has(name)));
}

/**
 * Encodes a hosted item in its original form. Calls of the older local shell, which clients see as shell calls,
 * become local calls again, and so do their outputs.
 * @param localCalls The calls of the conversation that came from the local shell, by call id.
 */
function encodeHostedItem(item: HostedItem, localCalls: ReadonlyMap<string, JsonObject>): WireHostedItem {
  const local = typeof item.fields.call_id === 'string' ? localCalls.get(item.fields.call_id) : undefined;
  if (local !== undefined) return encodeLocalShell(item, local);
  const dropped = foreignMembers[item.type] ?? [];
  const fields = Object.fromEntries(
    Object.entries(item.fields).filter(([name]) => !dropped.includes(name) && !ownMembers.has(name)),
  );
  return {
    type: item.type,
    ...(namedKinds.has(item.type) && { id: item.id ?? madeId(item) }),
    ...fields,
    // A failed picture has an empty text for clients and null for the provider.
    ...(item.type === 'image_generation_call' && { result: item.fields.result || null }),
    ...statusOf(item),
    ...foreignExtra(item.extra),
  };
}

/**
 * An id for a search that came by a dialect without ids of items. It goes by the place, so that no two share one and the same
 * conversation always has the same.
 */
function madeId({ type, fields, path }: HostedItem): string | undefined {
  if (type !== 'web_search_call') return undefined;
  const hash = createHash('sha256')
    .update(JSON.stringify([path, fields]))
    .digest('hex');
  return `ws_${hash.slice(0, 48)}`;
}

/** The local shell's original actions, of calls that clients see as shell calls. */
function findLocalShellCalls(items: readonly Item[]): ReadonlyMap<string, JsonObject> {
  const calls = new Map<string, JsonObject>();
  for (const item of items) {
    if (item.kind !== 'hosted' || item.type !== 'shell_call') continue;
    const { call_id, arguments: made } = item.fields;
    const action = typeof made === 'string' ? parseJson(made) : undefined;
    if (typeof call_id === 'string' && isObject(action) && action.type === 'exec') calls.set(call_id, action);
  }
  return calls;
}

function encodeLocalShell(item: HostedItem, action: JsonObject): WireHostedItem {
  const { call_id, output } = item.fields;
  if (item.type === 'shell_call_output') {
    return { type: 'local_shell_call_output', id: call_id, output: JSON.stringify(output) };
  }
  const status = item.status ?? 'completed';
  return { type: 'local_shell_call', id: item.id, call_id, action, status };
}

function statusOf({ type, status }: HostedItem): JsonObject {
  const stated = status ?? (statedKinds.has(type) ? 'completed' : undefined);
  return stated === undefined ? {} : { status: stated };
}
