import { createChecker } from '../../../../schema/checker.ts';
import { asList } from '../../../../schema/kind-table.ts';
import { createExtraReader } from '../../../../schema/members.ts';
import { choice, handled, optional, Type, text } from '../../../../util/json-schema.ts';
import { agentParts, partsSchema, readParts } from '../../../gateway/content/content-parts.ts';
import type { ItemKind } from './item-kind.ts';

/** `agent_message`: what one agent said to another. */
const AgentMessageSchema = Type.Object({
  type: choice('agent_message'),
  id: optional(text()),
  author: text(),
  recipient: text(),
  content: handled(partsSchema(agentParts)),
  agent: optional(Type.Object({ agent_name: text() })),
});

const checkAgentMessage = createChecker(AgentMessageSchema);
const extraOf = createExtraReader(AgentMessageSchema);

/** How messages between agents are read; one without content is left out. */
export const agentMessageKind: ItemKind = {
  schema: AgentMessageSchema,
  read(item, path, { cache, pairing }) {
    const { id, author, recipient, content: raw } = checkAgentMessage(item, path);
    const place = `${path}.content`;
    const content = readParts(asList(raw, place), place, agentParts, cache);
    if (content.length === 0) return undefined;
    pairing.other();
    return {
      kind: 'agent_message',
      id: id ?? undefined,
      author,
      recipient,
      content,
      extra: extraOf(item, path),
    };
  },
};
