import { createChecker } from '../../../../schema/checker.ts';
import { createExtraReader } from '../../../../schema/members.ts';
import { choice, optional, Type, text } from '../../../../util/json-schema.ts';
import type { ItemKind } from './item-kind.ts';

/** `compaction`: an opaque stand-in for earlier turns; it may have any further members. */
const CompactionSchema = Type.Object({
  type: choice('compaction'),
  id: optional(text()),
  encrypted_content: text(),
});

/** `context_compaction`: the same, perhaps without content. */
const ContextCompactionSchema = Type.Object({
  type: choice('context_compaction'),
  id: optional(text()),
  encrypted_content: optional(text()),
});

/** How `compaction` is read. */
export const compactionKind: ItemKind = compaction('compaction', CompactionSchema);

/** How `context_compaction` is read. */
export const contextCompactionKind: ItemKind = compaction('context_compaction', ContextCompactionSchema);

function compaction(
  type: 'compaction' | 'context_compaction',
  schema: typeof CompactionSchema | typeof ContextCompactionSchema,
): ItemKind {
  const check = createChecker<typeof ContextCompactionSchema | typeof CompactionSchema>(schema);
  const extraOf = createExtraReader(schema);
  return {
    schema,
    read(item, path, { pairing }) {
      const { id, encrypted_content } = check(item, path);
      pairing.other();
      return {
        kind: 'compaction',
        type,
        id: id ?? undefined,
        encrypted: encrypted_content ?? undefined,
        extra: extraOf(item, path),
      };
    },
  };
}
