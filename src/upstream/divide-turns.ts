import type { Item, MessageItem } from '../core/request.ts';
import { pushAll } from '../util/push-all.ts';
import { isSystem } from './is-system.ts';
import { type CallIdRule, settleCalls } from './settle-calls.ts';

type Role = 'user' | 'assistant' | 'system';

/** What one side said, in a dialect's blocks; sides alternate. The system speaks between the user and the model only. */
export interface TurnOf<Block> {
  readonly role: Role;
  content: Block[];
}

/** What dialects differ in besides their blocks. */
export interface TurnRules<Block> {
  /** Stands for the user's words where they are nothing but white space, which these dialects refuse. */
  readonly blank: Block;
  /** Whether the system may have turns of its own. */
  readonly systemTurns: boolean;
}

/** Ids made by other providers may hold characters these dialects refuse, or too many. */
const callIds: CallIdRule = { refused: /[^a-zA-Z0-9_-]/g, longest: 64 };

/** What the system says before everything else, and the conversation after it; that is all where nothing else is said. */
export function splitSystem(items: readonly Item[]): readonly [readonly MessageItem[], readonly Item[]] {
  const begin = items.findIndex((item) => !isSystem(item));
  if (begin === -1) return [[], items];
  return [items.slice(0, begin).filter(isSystem), items.slice(begin)];
}

/**
 * A conversation for dialects that divide it into turns of two sides, with every call answered in the turn after it.
 * System text within it is a turn of its own where the dialect has such and lets it stand, else it joins the user's turn,
 * in its place: moved to the front it would speak of something else. A turn may not end in thoughts, so they wait for
 * what they led to; what led to nothing is not told.
 * @param encode The blocks of one item, perhaps none.
 */
export function divideTurns<Block>(
  items: readonly Item[],
  { blank, systemTurns }: TurnRules<Block>,
  encode: (item: Item) => readonly Block[],
): TurnOf<Block>[] {
  const turns: TurnOf<Block>[] = [];
  let thoughts: Block[] = [];
  for (const item of settleCalls(items, callIds)) {
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

/** Turns of the system may only follow the user's and come before the model's, or last. */
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
