import type { ReasoningFormat } from '../../../core/delta.ts';
import { reasoningFormats } from '../../../core/reasoning-formats.ts';
import type { HostedItem, Item, ReasoningItem, ServiceItem } from '../../../core/request.ts';
import { malformed, nameOf } from '../../../schema/fault.ts';
import { asList, asObject } from '../../../schema/kind-table.ts';
import { isObject, type JsonObject } from '../../../util/json.ts';
import { unwrapCarrier } from '../../gateway/carrier.ts';
import type { CarrierSeal } from '../../public-dialect.ts';

/** Reasoning that a message replays: by the call it belongs to, and what belongs to none. */
export interface ReplayedReasoning {
  readonly items: readonly Item[];
  readonly byCall: ReadonlyMap<string, readonly Item[]>;
}

interface Draft {
  readonly kind: 'draft';
  readonly id: string | undefined;
  format: ReasoningFormat;
  readonly content: string[];
  readonly summary: string[];
  signature?: string;
  encrypted?: string;
}

/**
 * Reads the reasoning of an assistant message (docs/spec/chat.md#reasoning): `reasoning_details` where they are there,
 * else the plain text of `reasoning` or `reasoning_content`.
 * @param callIds The calls of the message: a detail with such an id belongs to that call.
 * @param seal Opens carriers that came from another dialect.
 * @throws HeadgateError `invalid_request`.
 */
export function readReplayedReasoning(
  message: JsonObject,
  path: string,
  callIds: ReadonlySet<string>,
  seal?: CarrierSeal,
): ReplayedReasoning {
  const { reasoning_details: details } = message;
  if (details === undefined || details === null)
    return { items: plainReasoning(message, path), byCall: new Map() };
  const drafts: Entry[] = [];
  for (const [index, entry] of asList(details, `${path}.reasoning_details`).entries()) {
    readDetail(asObject(entry, `${path}.reasoning_details[${index}]`), drafts);
  }
  const byCall = new Map<string, Item[]>();
  const items: Item[] = [];
  for (const draft of drafts) {
    if (draft.kind !== 'draft') {
      items.push(draft);
      continue;
    }
    const isOfCall = draft.id !== undefined && callIds.has(draft.id);
    const item = unwrapCarrier(toItem(draft), seal);
    if (!isOfCall) items.push(item);
    else byCall.set(draft.id ?? '', [...(byCall.get(draft.id ?? '') ?? []), item]);
  }
  return { items, byCall };
}

function plainReasoning(
  { reasoning, reasoning_content: content }: JsonObject,
  path: string,
): readonly Item[] {
  const text = reasoning ?? content;
  if (text === undefined || text === null || text === '') return [];
  if (typeof text !== 'string')
    throw malformed(`${path}.reasoning`, `expected a string, got ${nameOf(text)}`);
  return [{ kind: 'reasoning', summary: [], content: [text], format: 'unknown' }];
}

/** A thought whose details are still read, or a call that the gateway ran. */
type Entry = Draft | ServiceItem | HostedItem;

/** Neighbouring details of one id form one item; without ids those of one format until a second seal. */
function readDetail(detail: JsonObject, drafts: Entry[]): void {
  const { text, summary, data, signature } = detail;
  const kind = detail.type;
  if (kind === 'reasoning.server_tool_call') {
    const call = readServerToolCall(detail);
    if (call !== undefined) drafts.push(call);
    return;
  }
  if (kind !== 'reasoning.text' && kind !== 'reasoning.summary' && kind !== 'reasoning.encrypted') return;
  const draft = draftFor(detail, drafts);
  // While an answer streams, its text comes before anybody knows who will seal it.
  if (draft.format === 'unknown') draft.format = formatOf(detail.format);
  if (kind === 'reasoning.text' && typeof text === 'string' && text !== '') draft.content.push(text);
  if (kind === 'reasoning.summary' && typeof summary === 'string' && summary !== '')
    draft.summary.push(summary);
  if (kind === 'reasoning.encrypted' && typeof data === 'string') draft.encrypted = data;
  if (typeof signature === 'string' && signature !== '') draft.signature = signature;
}

function draftFor(detail: JsonObject, drafts: Entry[]): Draft {
  const id = typeof detail.id === 'string' ? detail.id : undefined;
  const format = formatOf(detail.format);
  const before = drafts.at(-1);
  const last = before?.kind === 'draft' ? before : undefined;
  const isSealed = last?.signature !== undefined || last?.encrypted !== undefined;
  const isSame = id === undefined ? !isSealed && last?.format === format : last?.id === id;
  if (last !== undefined && isSame && last.id === id) return last;
  const draft: Draft = { kind: 'draft', id, format, content: [], summary: [] };
  drafts.push(draft);
  return draft;
}

function formatOf(value: unknown): ReasoningFormat {
  return reasoningFormats.find((format) => format === value) ?? 'unknown';
}

function toItem({ id, format, content, summary, signature, encrypted }: Draft): ReasoningItem {
  return { kind: 'reasoning', id, summary, content, signature, encrypted, format };
}

/** The seal of a call as clients of one maker's compatible interface replay it; undefined without one. */
export function sealOfCall(call: JsonObject): ReasoningItem | undefined {
  const { extra_content: extra } = call;
  const google = isObject(extra) ? extra.google : undefined;
  const signature = isObject(google) ? google.thought_signature : undefined;
  if (typeof signature !== 'string' || signature === '') return undefined;
  return { kind: 'reasoning', summary: [], content: [], signature, format: 'google-gemini-v1' };
}

/** The name of a tool of an MCP server: its label, then its own name. */
const mcpName = /^mcp__(.+?)__(.+)$/s;

/**
 * Reads a call that the gateway ran, as an earlier answer recorded it (docs/spec/chat.md#reasoning): the item that
 * `POST /responses` would have given. Undefined for a record that names no tool.
 */
function readServerToolCall(detail: JsonObject): ServiceItem | HostedItem | undefined {
  const { tool_name: name, tool_call_id: id, arguments: input, result } = detail;
  if (typeof name !== 'string') return undefined;
  const callId = typeof id === 'string' && id !== '' ? id : undefined;
  const given = textOf(input) ?? '{}';
  const output = textOf(result) ?? '';
  const [, server_label, tool] = mcpName.exec(name) ?? [];
  if (server_label !== undefined) {
    const fields = { server_label, name: tool, arguments: given, output };
    return { kind: 'hosted', type: 'mcp_call', id: callId, status: 'completed', fields };
  }
  if (!isServiceName(name)) return undefined;
  return { kind: 'service', type: name, fields: { call_id: callId, arguments: given, result: output } };
}

function isServiceName(name: string): name is `service:${string}` {
  return /^service:\w+$/.test(name);
}

/** Texts as they were written; values of clients that parsed them as JSON again. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
