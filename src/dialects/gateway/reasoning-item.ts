import { reasoningFormats } from '../../core/reasoning-formats.ts';
import type { ReasoningItem } from '../../core/request.ts';
import { createChecker } from '../../schema/checker.ts';
import { createExtraReader } from '../../schema/members.ts';
import type { JsonObject } from '../../util/json.ts';
import { choice, list, optional, orNull, Type, text } from '../../util/json-schema.ts';
import type { CarrierSeal } from '../public-dialect.ts';
import { unwrapCarrier } from './carrier.ts';

/** Reasoning of an earlier turn; `summary` must be there but may be null (docs/spec/items.md#kinds). */
export const ReasoningItemSchema = Type.Object({
  type: choice('reasoning'),
  id: optional(text()),
  status: optional(choice('in_progress', 'completed', 'incomplete')),
  summary: orNull(list(Type.Object({ type: choice('summary_text'), text: text() }))),
  content: optional(list(Type.Object({ type: choice('reasoning_text'), text: text() }))),
  encrypted_content: optional(text()),
  signature: optional(text()),
  format: optional(choice(...reasoningFormats)),
});

const check = createChecker(ReasoningItemSchema);
const extraOf = createExtraReader(ReasoningItemSchema);

/** Reads a reasoning item, whole and unaltered, so that the model can go on from it. @throws HeadgateError `invalid_request`. */
export function readReasoningItem(
  item: JsonObject,
  path: string,
  seal: CarrierSeal | undefined,
): ReasoningItem {
  const checked = check(item, path);
  return unwrapCarrier(
    {
      kind: 'reasoning',
      id: checked.id ?? undefined,
      summary: (checked.summary ?? []).map((part) => part.text),
      content: (checked.content ?? []).map((part) => part.text),
      encrypted: checked.encrypted_content ?? undefined,
      signature: checked.signature ?? undefined,
      format: checked.format ?? undefined,
      extra: extraOf(item, path),
    },
    seal,
  );
}
