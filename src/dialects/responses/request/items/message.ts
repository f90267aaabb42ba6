import { createChecker } from '../../../../schema/checker.ts';
import { createExtraReader } from '../../../../schema/members.ts';
import { anyOf, choice, handled, optional, Type, text } from '../../../../util/json-schema.ts';
import {
  assistantParts,
  contentSchema,
  inputParts,
  readContent,
} from '../../../gateway/content/content-parts.ts';
import { restoreCitations } from '../../../gateway/content/replayed-citations.ts';
import type { ItemKind } from './item-kind.ts';
import { statusOf, usualStatuses } from './status.ts';

/** A message of any role; `{role, content}` suffices (docs/spec/items.md#messages). */
const MessageSchema = Type.Object({
  type: optional(choice('message')),
  role: choice('user', 'system', 'developer', 'assistant'),
  content: Type.Optional(handled(anyOf(contentSchema(assistantParts), Type.Null()))),
  phase: optional(choice('commentary', 'final_answer')),
  id: optional(text()),
  // Only messages of the assistant have one; what others carry under this name means nothing.
  status: Type.Optional(handled(statusOf(...usualStatuses))),
});

const checkMessage = createChecker(MessageSchema);
const checkStatus = createChecker(statusOf(...usualStatuses));
const extraOf = createExtraReader(MessageSchema);

/** How messages are read; one without content is left out. */
export const messageKind: ItemKind = {
  schema: MessageSchema,
  read(item, path, { cache, pairing, carriers }) {
    const { role, content: raw, phase, id, status } = checkMessage(item, path);
    if (role === 'assistant' && status !== undefined) checkStatus(status, `${path}.status`);
    if (raw === undefined || raw === null) return undefined;
    const table = role === 'assistant' ? assistantParts : inputParts;
    const read = readContent(raw, `${path}.content`, table, cache);
    const content = role === 'assistant' ? restoreCitations(read, carriers) : read;
    if (content.length === 0) return undefined;
    pairing.other();
    return {
      kind: 'message',
      role,
      content,
      phase: role === 'assistant' ? (phase ?? undefined) : undefined,
      id: id ?? undefined,
      extra: extraOf(item, path),
    };
  },
};
