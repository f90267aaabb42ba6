import { isObject, type JsonObject, parseJson } from '../../core/json.ts';
import type { ContentPart, HostedItem, Item } from '../../core/request.ts';
import { textOf } from '../lenient.ts';
import type { HostedBlock } from './turn.ts';

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

/** A call of a hosted tool that this dialect's issuer ran, in its own blocks, which the item carries as `signature`. */
export function encodeHostedItem(item: HostedItem): readonly HostedBlock[] {
  return ownBlocks({ ...item.extra, ...item.fields }) ?? [];
}

/**
 * An item without those of hosted tools that others ran: these become a call and its output. Lists of tools and
 * approvals say nothing to this dialect.
 */
export function toClientItems(item: Item): readonly Item[] {
  if (item.kind !== 'hosted' || isOwnItem(item)) return [item];
  if (item.type === 'mcp_list_tools' || item.type.startsWith('mcp_approval')) return [];
  return toPair(item, { ...item.extra, ...item.fields });
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

/** Whether a block is a call of a tool the provider runs, or what came of it. */
export function isHostedBlock(value: unknown): value is HostedBlock {
  return isObject(value) && hostedBlocks.has(value.type);
}

function toPair(item: HostedItem, members: JsonObject): readonly Item[] {
  const callId = textOf(members.call_id) ?? item.id ?? item.type;
  const entries = Object.entries(members).filter(([name, value]) => !bookkeeping.has(name) && value != null);
  const input = Object.fromEntries(entries.filter(([name]) => !outcomes.has(name)));
  const outcome = Object.fromEntries(entries.filter(([name]) => outcomes.has(name)));
  const name = item.type.replace(/_call(_output)?$/, '');
  const call: Item = { kind: 'call', form: 'function', callId, name, input: JSON.stringify(input) };
  // The call of an action comes without its result, which is an item of its own.
  if (item.type === 'computer_call') return [call];
  const result: Item = {
    kind: 'call_output',
    form: 'function',
    callId,
    output: tellOutcome(item.type, outcome),
  };
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
