import { reasoningFormats } from '../../../../core/reasoning-formats.ts';
import { createChecker } from '../../../../schema/checker.ts';
import { createExtraReader } from '../../../../schema/members.ts';
import { choice, list, optional, orNull, Type, text } from '../../../../util/json-schema.ts';
import type { ItemKind } from './item-kind.ts';
import { statusOf, usualStatuses } from './status.ts';

/** Reasoning of an earlier turn; `summary` must be there but may be null (docs/spec/items.md#kinds). */
const ReasoningItemSchema = Type.Object({
  type: choice('reasoning'),
  id: optional(text()),
  status: statusOf(...usualStatuses),
  summary: orNull(list(Type.Object({ type: choice('summary_text'), text: text() }))),
  content: optional(list(Type.Object({ type: choice('reasoning_text'), text: text() }))),
  encrypted_content: optional(text()),
  signature: optional(text()),
  format: optional(choice(...reasoningFormats)),
});

const checkReasoning = createChecker(ReasoningItemSchema);
const extraOf = createExtraReader(ReasoningItemSchema);

/** How reasoning items are read: whole and unaltered, so that the model can go on from them. */
export const reasoningKind: ItemKind = {
  schema: ReasoningItemSchema,
  read(item, path, { pairing }) {
    const checked = checkReasoning(item, path);
    pairing.other();
    return {
      kind: 'reasoning',
      id: checked.id ?? undefined,
      summary: (checked.summary ?? []).map((part) => part.text),
      content: (checked.content ?? []).map((part) => part.text),
      encrypted: checked.encrypted_content ?? undefined,
      signature: checked.signature ?? undefined,
      format: checked.format ?? undefined,
      extra: extraOf(item, path),
    };
  },
};
