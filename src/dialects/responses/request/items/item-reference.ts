import { createChecker } from '../../../../schema/checker.ts';
import { contradictory, quote } from '../../../../schema/fault.ts';
import { choice, optional, Type, text } from '../../../../util/json-schema.ts';
import type { ItemKind } from './item-kind.ts';

/** A reference to an item that stands earlier in the same input (docs/spec/items.md#references). */
const ItemReferenceSchema = Type.Object({ type: optional(choice('item_reference')), id: text() });

const checkReference = createChecker(ItemReferenceSchema);

/** How references are read: a message is said again; anything else is in the conversation already. */
export const itemReferenceKind: ItemKind = {
  schema: ItemReferenceSchema,
  read(item, path, { seen, pairing }) {
    const { id } = checkReference(item, path);
    if (!seen.has(id)) {
      const problem = `no earlier item of this input has the id ${quote(id)}; nothing is stored, send the full item`;
      throw contradictory(`${path}.id`, problem);
    }
    const target = seen.get(id);
    // Reasoning, calls and outputs said twice would break the pairing that providers insist on.
    if (target?.kind !== 'message') return undefined;
    pairing.other();
    return target;
  },
};
