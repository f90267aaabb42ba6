import type { JsonObject } from '../../core/json.ts';
import type { ContentPart, HostedItem } from '../../core/request.ts';
import { isObject, parseJson, textOf } from '../lenient.ts';
import { encodeParts } from './encode-content.ts';
import { encodeCallId, type HostedBlock, type Turn } from './turn.ts';

const hostedBlocks: ReadonlySet<unknown> = new Set([
  'server_tool_use',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'mcp_tool_use',
  'mcp_tool_result',
]);

/** Members that say what came of a call, not what was asked. */
const outcomes: ReadonlySet<string> = new Set(['output', 'outputs', 'result', 'results', 'error', 'sources']);
/** Members that are neither. */
const bookkeeping: ReadonlySet<string> = new Set([
  'call_id',
  'container_id',
  'signature',
  'format',
  'pending_safety_checks',
]);

/**
 * A call of a hosted tool as turns. What this dialect's issuer ran goes back in its own blocks, which the item
 * carries as `signature`; what others ran is told as a call and its result. Lists of tools and approvals say
 * nothing to this dialect.
 */
export function encodeHostedItem(item: HostedItem): readonly Turn[] {
  const members = { ...item.extra, ...item.fields };
  const own = ownBlocks(members);
  if (own !== undefined) return [{ role: 'assistant', content: own }];
  if (item.type === 'mcp_list_tools' || item.type.startsWith('mcp_approval')) return [];
  return toPair(item, members);
}

/** Whether the item says for itself what this dialect's issuer ran. */
export function isOwnItem(item: HostedItem): boolean {
  return ownBlocks({ ...item.extra, ...item.fields }) !== undefined;
}

/** Blocks as the decoder left them, see `hosted-call.ts`. */
function ownBlocks({ format, signature }: JsonObject): HostedBlock[] | undefined {
  if (format !== 'anthropic-claude-v1' || typeof signature !== 'string') return undefined;
  const blocks = parseJson(signature);
  return Array.isArray(blocks) && blocks.length > 0 && blocks.every(isHostedBlock) ? blocks : undefined;
}

function isHostedBlock(value: unknown): value is HostedBlock {
  return isObject(value) && hostedBlocks.has(value.type);
}

function toPair(item: HostedItem, members: JsonObject): readonly Turn[] {
  const id = encodeCallId(textOf(members.call_id) ?? item.id ?? item.type);
  const entries = Object.entries(members).filter(([name, value]) => !bookkeeping.has(name) && value != null);
  const input = Object.fromEntries(entries.filter(([name]) => !outcomes.has(name)));
  const outcome = Object.fromEntries(entries.filter(([name]) => outcomes.has(name)));
  const name = item.type.replace(/_call(_output)?$/, '');
  const call: Turn = { role: 'assistant', content: [{ type: 'tool_use', id, name, input }] };
  // The call of an action comes without its result, which is an item of its own.
  if (item.type === 'computer_call') return [call];
  const content = encodeParts(tellOutcome(item.type, outcome));
  const result: Turn = { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] };
  return item.type.endsWith('_output') ? [result] : [call, result];
}

function tellOutcome(type: HostedItem['type'], outcome: JsonObject): readonly ContentPart[] {
  const picture = type === 'image_generation_call' ? textOf(outcome.result) : screenshotOf(outcome.output);
  if (picture === undefined) return [{ kind: 'text', text: JSON.stringify(outcome) }];
  const url = picture.startsWith('data:') || /^https?:/.test(picture) ? picture : asDataUrl(picture);
  return [{ kind: 'image', url, detail: 'auto' }];
}

function screenshotOf(output: unknown): string | undefined {
  return isObject(output) ? textOf(output.image_url) : undefined;
}

function asDataUrl(base64: string): string {
  const jpeg = base64.startsWith('/9j/');
  const webp = base64.startsWith('UklGR');
  return `data:image/${jpeg ? 'jpeg' : webp ? 'webp' : 'png'};base64,${base64}`;
}
