import { isSystem } from '../../core/is-system.ts';
import type { Item } from '../../core/request.ts';
import { withComputerCalls } from './computer-calls.ts';
import { encodeParts, type PartContext } from './encode-content.ts';
import type { ModelTraits } from './model-traits.ts';
import { settleTurns } from './settle-turns.ts';
import { TurnBuilder } from './turn-builder.ts';
import type { Content, Part } from './wire.ts';

/** The conversation in the dialect's division. */
export interface Conversation {
  readonly system: readonly Part[];
  readonly contents: readonly Content[];
}

/**
 * Divides instructions and items into a system instruction and turns. Only system text before everything else goes
 * into the instruction. Later system text joins the user's turn at its place, because at the front it would refer to
 * something else. Models without a system instruction get it as the first user text; so does a conversation without
 * other items.
 */
export function encodeConversation(
  instructions: string | undefined,
  replayed: readonly Item[],
  traits: ModelTraits,
  context: PartContext,
): Conversation {
  const items = withComputerCalls(replayed);
  const begin = items.findIndex((item) => !isSystem(item));
  const leading = begin === -1 ? items : items.slice(0, begin);
  const system = [
    ...(instructions ? [{ text: instructions }] : []),
    ...leading.flatMap((item) => (isSystem(item) ? encodeParts(item.content, context) : [])),
  ];
  const builder = new TurnBuilder(items, traits, context);
  for (const item of items.slice(leading.length)) builder.add(item);
  const contents = settleTurns(builder.finish(), traits);
  if (system.length === 0 || (traits.system && contents.length > 0)) return { system, contents };
  const [first, ...others] = contents;
  if (first?.role === 'user') {
    return { system: [], contents: [{ role: 'user', parts: [...system, ...first.parts] }, ...others] };
  }
  return { system: [], contents: [{ role: 'user', parts: system }, ...contents] };
}
