import type { Item } from '../core/request.ts';
import { pushAll } from '../util/push-all.ts';

/** An item with its index. */
export interface PlacedItem {
  readonly item: Item;
  readonly place: number;
}

type Passage = readonly PlacedItem[];

/**
 * The parts of a conversation that may be dropped, in this order: the turns between the first and the newest, oldest
 * first; the first turn; the steps of the newest turn except its last, oldest first. A turn begins with a user
 * message; a step is a model's text and calls up to the outputs of its calls. Parts that share a call are merged.
 * System messages and items that change settings are in no part.
 */
export function splitTurns(items: readonly Item[]): readonly Passage[] {
  const placed = items.map((item, place) => ({ item, place }));
  const turns = splitBefore(
    placed.filter(({ item }) => mayGo(item)),
    beginsTurn,
  );
  const newest = splitBefore(turns.at(-1) ?? [], beginsStep);
  const question = newest[0]?.some(({ item }) => isUserMessage(item)) ? 1 : 0;
  const earlier = turns.slice(0, -1);
  const passages = [...earlier.slice(1), ...earlier.slice(0, 1), ...newest.slice(question, -1)];
  const kept = [...newest.slice(0, question), ...newest.slice(-1)].flat();
  return tie(passages, kept);
}

function mayGo(item: Item): boolean {
  if (item.kind === 'message') return item.role === 'user' || item.role === 'assistant';
  return (
    item.kind !== 'additional_tools' && item.kind !== 'configuration_update' && item.kind !== 'compaction'
  );
}

function isUserMessage(item: Item): boolean {
  return item.kind === 'agent_message' || (item.kind === 'message' && item.role === 'user');
}

function beginsTurn(item: Item, before: Item): boolean {
  return isUserMessage(item) && !isUserMessage(before);
}

/** A step begins where the model continues after a question or after outputs. */
function beginsStep(item: Item, before: Item): boolean {
  return !isAnswered(item) && !isUserMessage(item) && (isAnswered(before) || isUserMessage(before));
}

function isAnswered(item: Item): boolean {
  return item.kind === 'call_output' || (item.kind === 'hosted' && item.type.endsWith('_output'));
}

function splitBefore(items: Passage, begins: (item: Item, before: Item) => boolean): readonly Passage[] {
  const parts: PlacedItem[][] = [];
  let before: Item | undefined;
  for (const placed of items) {
    const part = parts.at(-1);
    if (part === undefined || before === undefined || begins(placed.item, before)) parts.push([placed]);
    else part.push(placed);
    before = placed.item;
  }
  return parts;
}

/** Joins passages that share a call, and removes those that share one with what is kept. */
function tie(passages: readonly Passage[], kept: Passage): readonly Passage[] {
  const first = new Map<string, number>();
  const heads = passages.map((_passage, index) => index);
  const headOf = (index: number): number => {
    let head = index;
    while (heads[head] !== undefined && heads[head] !== head) head = heads[head] ?? head;
    return head;
  };
  for (const [index, passage] of passages.entries()) {
    for (const { item } of passage) {
      const id = idOf(item);
      const other = id === undefined ? undefined : first.get(id);
      if (other !== undefined) join(heads, headOf(index), headOf(other));
      else if (id !== undefined) first.set(id, index);
    }
  }
  const stuck = new Set(kept.flatMap(({ item }) => first.get(idOf(item) ?? '') ?? []).map(headOf));
  const joined = new Map<number, PlacedItem[]>();
  for (const [index, passage] of passages.entries()) {
    const head = headOf(index);
    if (stuck.has(head)) continue;
    const items = joined.get(head);
    if (items === undefined) joined.set(head, [...passage]);
    else pushAll(items, passage);
  }
  return [...joined.values()];
}

/** The one that is dropped earlier comes first. */
function join(heads: number[], left: number, right: number): void {
  heads[Math.max(left, right)] = Math.min(left, right);
}

function idOf(item: Item): string | undefined {
  if (item.kind === 'call' || item.kind === 'call_output') return item.callId;
  if (item.kind !== 'hosted') return undefined;
  const { call_id, approval_request_id } = item.fields;
  const id = call_id ?? approval_request_id ?? item.id;
  return typeof id === 'string' ? id : undefined;
}
