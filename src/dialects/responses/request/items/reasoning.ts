import { ReasoningItemSchema, readReasoningItem } from '../../../gateway/reasoning-item.ts';
import type { ItemKind } from './item-kind.ts';

/** How reasoning items are read. */
export const reasoningKind: ItemKind = {
  schema: ReasoningItemSchema,
  read(item, path, { pairing, carriers }) {
    const read = readReasoningItem(item, path, carriers);
    pairing.other();
    return read;
  },
};
