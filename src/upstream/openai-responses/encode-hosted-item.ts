import { createHash } from 'node:crypto';
import type { HostedItemType } from '../../core/hosted.ts';
import type { HostedItem, Item } from '../../core/request.ts';
import { isObject, type JsonObject, parseJson } from '../../util/json.ts';

/** A hosted item in its wire form: its own members, checked when the request was read. */
export type WireHostedItem = JsonObject & { readonly type: HostedItemType };

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
export function foreignExtra(extra: JsonObject | undefined): JsonObject {
  if (extra === undefined) return {};
  return Object.fromEntries(Object.entries(extra).filter(([name]) => !ownMembers.has(name)));
}

/**
 * Encodes a hosted item in its original form. Calls of the older local shell, which clients see as shell calls,
 * become local calls again, and so do their outputs.
 * @param localCalls The calls of the conversation that came from the local shell, by call id.
 */
export function encodeHostedItem(
  item: HostedItem,
  localCalls: ReadonlyMap<string, JsonObject>,
): WireHostedItem {
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
export function findLocalShellCalls(items: readonly Item[]): ReadonlyMap<string, JsonObject> {
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
