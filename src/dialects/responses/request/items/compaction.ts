import type { Item } from '../../../../core/request.ts';
import { createChecker } from '../../../../schema/checker.ts';
import { malformed } from '../../../../schema/fault.ts';
import { createExtraReader } from '../../../../schema/members.ts';
import { choice, optional, Type, text } from '../../../../util/json-schema.ts';
import type { CarrierSeal } from '../../../public-dialect.ts';
import { isSealedSummary, openSummary } from '../../compaction/sealed-summary.ts';
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
    read(item, path, { pairing, carriers }) {
      const { id, encrypted_content } = check(item, path);
      pairing.other();
      if (encrypted_content && isSealedSummary(encrypted_content)) {
        return readSummary(encrypted_content, path, carriers);
      }
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

/**
 * A summary of the gateway's own, which every model can read. It is the whole history, so that one that cannot be opened is
 * never left out.
 */
function readSummary(content: string, path: string, carriers: CarrierSeal | undefined): Item {
  const summary = openSummary(content, carriers);
  if (summary === undefined) {
    throw malformed(
      `${path}.encrypted_content`,
      'cannot be opened: it was altered, or made for another account; send the conversation itself',
    );
  }
  const text = `Summary of the conversation so far:\n\n${summary}`;
  return { kind: 'message', role: 'user', content: [{ kind: 'text', text }] };
}
