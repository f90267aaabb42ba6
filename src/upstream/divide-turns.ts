import { type Item, isSystem, type MessageItem } from '../core/request.ts';
import { pushAll } from '../util/push-all.ts';
import { type CallIdRule, pairToolCalls } from './pair-tool-calls.ts';

type Role = 'user' | 'assistant' | 'system';

/**
 * One side's turn in a dialect's blocks; the sides alternate. A system turn is only allowed between a user turn and a
 * model turn.
 */
export interface TurnOf<Block> {
  readonly role: Role;
  content: Block[];
}

/** How dialects differ besides their blocks. */
export interface TurnRules<Block> {
  /** Replaces user text that is only white space, which these dialects refuse. */
  readonly blank: Block;
  /** Whether the system may have turns of its own. */
  readonly systemTurns: boolean;
}

/** Ids from other providers may contain characters that these dialects refuse, or be too long. */
const callIds: CallIdRule = { refused: /[^a-zA-Z0-9_-]/g, longest: 64 };

/**
 * Splits off the system text before everything else. A conversation with nothing but system text stays in the second
 * part.
 */
export function splitSystem(items: readonly Item[]): readonly [readonly MessageItem[], readonly Item[]] {
  const begin = items.findIndex((item) => !isSystem(item));
  if (begin === -1) return [[], items];
  return [items.slice(0, begin).filter(isSystem), items.slice(begin)];
}

/**
 * Divides a conversation into turns of two sides, with every call answered in the next turn. System text inside the
 * conversation becomes its own turn where the dialect allows it. Otherwise it joins the user's turn at its place,
 * because at the front it would refer to something else. A turn may not end in thoughts: they wait for the block they
 * led to, and are dropped if there is none.
 * @param encode Returns the blocks of one item; may be empty.
 */
export function divideTurns<Block>(
  items: readonly Item[],
  { blank, systemTurns }: TurnRules<Block>,
  encode: (item: Item) => readonly Block[],
): TurnOf<Block>[] {
  const turns: TurnOf<Block>[] = [];
  let thoughts: Block[] = [];
  for (const item of pairToolCalls(items, callIds)) {
    const blocks = encode(item);
    if (item.kind === 'reasoning') pushAll(thoughts, blocks);
    else if (blocks.length > 0) {
      const role = systemTurns && isSystem(item) ? 'system' : roleOf(item);
      append(turns, role, role === 'assistant' ? [...thoughts, ...blocks] : blocks);
      thoughts = [];
    }
  }
  const placed = placeSystem(turns);
  if (placed.length === 0 || (placed.at(-1)?.role === 'assistant' && endsWithUser(items))) {
    append(placed, 'user', [blank]);
  }
  return placed;
}

/** A system turn may only follow a user turn, and must precede a model turn or be last. */
function placeSystem<Block>(turns: readonly TurnOf<Block>[]): TurnOf<Block>[] {
  const placed: TurnOf<Block>[] = [];
  for (const [place, { role, content }] of turns.entries()) {
    const fits = placed.at(-1)?.role === 'user' && turns[place + 1]?.role !== 'user';
    append(placed, role === 'system' && !fits ? 'user' : role, content);
  }
  return placed;
}

function endsWithUser(items: readonly Item[]): boolean {
  const last = items.at(-1);
  return last?.kind === 'message' && last.role !== 'assistant';
}

function roleOf(item: Item): 'user' | 'assistant' {
  if (item.kind === 'message') return item.role === 'assistant' ? 'assistant' : 'user';
  return item.kind === 'call' || item.kind === 'hosted' ? 'assistant' : 'user';
}

function append<Block>(turns: TurnOf<Block>[], role: Role, blocks: readonly Block[]): void {
  const last = turns.at(-1);
  if (last?.role === role) pushAll(last.content, blocks);
  else turns.push({ role, content: [...blocks] });
}
