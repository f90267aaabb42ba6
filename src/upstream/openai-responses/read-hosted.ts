import type { Delta } from '../../core/delta.ts';
import { type HostedItemType, hostedKindOf } from '../../core/hosted.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { wordTable } from '../../util/word-table.ts';
import { textOf } from '../lenient.ts';

type Stage = Extract<Delta, { kind: 'stage' }>['stage'];

/** Kinds that only clients send; one in an answer is ignored. */
const clientKinds: ReadonlySet<string> = new Set([
  'computer_call_output',
  'local_shell_call_output',
  'apply_patch_call_output',
  'mcp_approval_response',
]);

/** Members that an item of a kind needs before it is announced, because they must not change afterwards. */
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

/** Events that report the stage of a hosted item. */
export const stageEvents = wordTable<Stage>({
  'response.web_search_call.searching': 'searching',
  'response.file_search_call.searching': 'searching',
  'response.image_generation_call.generating': 'generating',
  'response.code_interpreter_call.interpreting': 'interpreting',
});

/** A hosted item in the provider's form. */
export interface WireHosted extends JsonObject {
  readonly type: HostedItemType;
}

/** Whether an output item belongs to a hosted tool with a public item. */
export function isHosted(item: JsonObject): item is WireHosted {
  return (
    typeof item.type === 'string' && Object.hasOwn(hostedKindOf, item.type) && !clientKinds.has(item.type)
  );
}

/** The members of an item that never change after its announcement; undefined until all of them are known. */
export function identityOf(item: WireHosted): JsonObject | undefined {
  const names = identities[item.type] ?? [];
  const members = names.map(
    (name) => [name, name === 'operation' ? patchOf(item) : textOf(item[name])] as const,
  );
  return members.every(([, value]) => value !== undefined) ? Object.fromEntries(members) : undefined;
}

/** The members that announce an item that came complete, even if its provider omitted some. */
export function knownIdentityOf(item: WireHosted): JsonObject {
  return Object.fromEntries(
    (identities[item.type] ?? []).flatMap((name) => (name in item ? [[name, item[name]]] : [])),
  );
}

/** The text of an item that arrives in pieces: code, diff or arguments. */
export function textOfHosted(item: WireHosted): string {
  if (item.type === 'apply_patch_call')
    return (isObject(item.operation) && textOf(item.operation.diff)) || '';
  const written = { code_interpreter_call: item.code, mcp_call: item.arguments }[String(item.type)];
  return textOf(written) ?? '';
}

/** The members of an item that describe its work; unset ones are left out. */
export function membersOf({ type: _type, id: _id, status: _status, ...members }: WireHosted): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

/** How an item ended: complete, failed, or cut off. */
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
