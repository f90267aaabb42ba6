import type { Delta } from '../../core/delta.ts';
import { type HostedItemType, hostedKindOf } from '../../core/hosted.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { wordTable } from '../../util/word-table.ts';
import { textOf } from '../lenient.ts';

type Stage = Extract<Delta, { kind: 'stage' }>['stage'];

/** Kinds only clients send; one that comes back is not told. */
const clientKinds: ReadonlySet<string> = new Set([
  'computer_call_output',
  'local_shell_call_output',
  'apply_patch_call_output',
  'mcp_approval_response',
]);

/** Members without which an item of a kind is not announced, because they must not change afterwards. */
const identities: { readonly [Type in HostedItemType]?: readonly string[] } = {
  code_interpreter_call: ['container_id'],
  computer_call: ['call_id'],
  local_shell_call: ['call_id'],
  shell_call: ['call_id'],
  shell_call_output: ['call_id'],
  apply_patch_call: ['call_id', 'operation'],
  mcp_list_tools: ['server_label'],
  mcp_approval_request: ['server_label', 'name'],
  mcp_call: ['server_label', 'name'],
};

/** Events that say how far a hosted item has got. */
export const stageEvents = wordTable<Stage>({
  'response.web_search_call.searching': 'searching',
  'response.file_search_call.searching': 'searching',
  'response.image_generation_call.generating': 'generating',
  'response.code_interpreter_call.interpreting': 'interpreting',
});

/** A hosted item as the provider sends it. */
export interface WireHosted extends JsonObject {
  readonly type: HostedItemType;
}

/** Whether an output item belongs to a hosted tool and is told to clients. */
export function isHosted(item: JsonObject): item is WireHosted {
  return (
    typeof item.type === 'string' && Object.hasOwn(hostedKindOf, item.type) && !clientKinds.has(item.type)
  );
}

/** What stays the same of an item from its announcement on, or undefined as long as not all of it is known. */
export function identityOf(item: WireHosted): JsonObject | undefined {
  const names = identities[item.type] ?? [];
  const members = names.map(
    (name) => [name, name === 'operation' ? patchOf(item) : textOf(item[name])] as const,
  );
  return members.every(([, value]) => value !== undefined) ? Object.fromEntries(members) : undefined;
}

/** What an item is announced with when it comes whole, however much its provider left out. */
export function knownIdentityOf(item: WireHosted): JsonObject {
  return Object.fromEntries(
    (identities[item.type] ?? []).flatMap((name) => (name in item ? [[name, item[name]]] : [])),
  );
}

/** The text of an item that is written piece by piece: code, diff or arguments. */
export function textOfHosted(item: WireHosted): string {
  if (item.type === 'apply_patch_call')
    return (isObject(item.operation) && textOf(item.operation.diff)) || '';
  const written = { code_interpreter_call: item.code, mcp_call: item.arguments }[String(item.type)];
  return textOf(written) ?? '';
}

/** The members of an item that tell what it did; those it has not set are left out. */
export function membersOf({ type: _type, id: _id, status: _status, ...members }: WireHosted): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

/** How an item ended: whole, failed, or broken off in the middle. */
export function endingOf(item: WireHosted): 'whole' | 'failed' | 'cut' {
  if (item.status === 'failed') return 'failed';
  const failable = item.type === 'mcp_call' || item.type === 'mcp_list_tools';
  if (failable && item.error !== undefined && item.error !== null) return 'failed';
  return item.status === 'incomplete' ? 'cut' : 'whole';
}

function patchOf({ operation }: WireHosted): JsonObject | undefined {
  if (!isObject(operation) || textOf(operation.type) === undefined) return undefined;
  const { diff: _, ...place } = operation;
  return operation.type === 'delete_file' ? place : { ...place, diff: '' };
}
