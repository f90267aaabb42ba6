import type { ContentPart, HostedItem, Item } from '../../core/request.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { pictureType } from '../../util/picture-type.ts';
import { keptPieces, readHostedUse } from '../hosted-use.ts';
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

/**
 * Encodes a hosted call that this dialect's issuer ran, from its original blocks in the item's `signature`.
 */
export function encodeHostedItem(item: HostedItem): readonly HostedBlock[] {
  return ownBlocks(item) ?? [];
}

/** Turns hosted calls that other providers ran into an ordinary call and its output. */
export function toClientItems(item: Item): readonly Item[] {
  if (item.kind !== 'hosted' || isOwnItem(item)) return [item];
  return toPair(item);
}

/** Whether the item itself carries what this dialect's issuer ran. */
export function isOwnItem(item: HostedItem): boolean {
  return ownBlocks(item) !== undefined;
}

/** Blocks as the decoder stored them, see `hosted-call.ts`. */
function ownBlocks(item: HostedItem): readonly HostedBlock[] | undefined {
  return keptPieces(item, 'anthropic-claude-v1', isHostedBlock);
}

/** Whether a block is a hosted call or its result. */
export function isHostedBlock(value: unknown): value is HostedBlock {
  return isObject(value) && hostedBlocks.has(value.type);
}

function toPair(item: HostedItem): readonly Item[] {
  const { name, callId = item.type, input, outcome } = readHostedUse(item);
  const call: Item = { kind: 'call', form: 'function', callId, name, input: JSON.stringify(input) };
  // An action's call comes without its result, which is a separate item.
  if (item.type === 'computer_call') return [call];
  const result: Item = {
    kind: 'call_output',
    form: 'function',
    callId,
    output: describeOutcome(item.type, outcome),
  };
  return item.type.endsWith('_output') ? [result] : [call, result];
}

function describeOutcome(type: HostedItem['type'], outcome: JsonObject): readonly ContentPart[] {
  const picture = type === 'image_generation_call' ? textOf(outcome.result) : screenshotOf(outcome.output);
  if (picture === undefined) return [{ kind: 'text', text: JSON.stringify(outcome) }];
  const url = /^(data|https?):/.test(picture) ? picture : `data:${pictureType(picture)};base64,${picture}`;
  return [{ kind: 'image', url, detail: 'auto' }];
}

function screenshotOf(output: unknown): string | undefined {
  return isObject(output) ? textOf(output.image_url) : undefined;
}
