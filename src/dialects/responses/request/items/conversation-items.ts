import { efforts } from '../../../../core/efforts.ts';
import type { Item } from '../../../../core/request.ts';
import { createChecker } from '../../../../schema/checker.ts';
import { contradictory, malformed, quote } from '../../../../schema/fault.ts';
import { asList } from '../../../../schema/kind-table.ts';
import { createExtraReader } from '../../../../schema/members.ts';
import { anyOf, choice, handled, list, optional, Type, text } from '../../../../util/json-schema.ts';
import {
  agentParts,
  assistantParts,
  contentSchema,
  inputParts,
  partsSchema,
  readContent,
  readParts,
} from '../../../gateway/content/content-parts.ts';
import { restoreCitations } from '../../../gateway/content/replayed-citations.ts';
import { ReasoningItemSchema, readReasoningItem } from '../../../gateway/reasoning-item.ts';
import { readAddedTools, toolSchemas } from '../../../gateway/tools/tools.ts';
import type { CarrierSeal } from '../../../public-dialect.ts';
import { isSealedSummary, openSummary } from '../../compaction/sealed-summary.ts';
import type { ItemKind } from './item-kind.ts';
import { statusOf, usualStatuses } from './status.ts';

const AnyToolSchema = Type.Object({ type: text() });

/**
 * `additional_tools`: tools that are offered from here on; entries of unknown kinds are passed on
 * (docs/spec/items.md#additional-tools).
 */
const AdditionalToolsSchema = Type.Object({
  type: choice('additional_tools'),
  id: optional(text()),
  role: choice('unknown', 'user', 'assistant', 'system', 'critic', 'discriminator', 'developer', 'tool'),
  tools: handled(list(anyOf(...toolSchemas, AnyToolSchema))),
});

const checkAdditionalTools = createChecker(AdditionalToolsSchema);
const extraOfTools = createExtraReader(AdditionalToolsSchema);

/** How added tools are read. */
export const additionalToolsKind: ItemKind = {
  schema: AdditionalToolsSchema,
  read(item, path, reading) {
    const { id, tools: raw } = checkAdditionalTools(item, path);
    const { tools, others, services, hidden } = readAddedTools(raw, `${path}.tools`, reading.spell);
    reading.pairing.other();
    reading.offer(tools, hidden);
    return {
      kind: 'additional_tools',
      id: id ?? undefined,
      tools,
      ...(others.length === 0 ? {} : { others }),
      ...(services !== undefined && { services }),
      extra: extraOfTools(item, path),
    };
  },
};

/**
 * `configuration_update`: another reasoning effort from the next user message on
 * (docs/spec/items.md#configuration-updates).
 */
const ConfigurationUpdateSchema = Type.Object({
  type: choice('configuration_update'),
  id: optional(text()),
  reasoning: Type.Object({ effort: choice(...efforts) }, { additionalProperties: false }),
});

const checkUpdate = createChecker(ConfigurationUpdateSchema);
const extraOfUpdate = createExtraReader(ConfigurationUpdateSchema);

/** How configuration updates are read. */
export const configurationUpdateKind: ItemKind = {
  schema: ConfigurationUpdateSchema,
  read(item, path, { pairing }) {
    const { id, reasoning } = checkUpdate(item, path);
    pairing.other();
    return {
      kind: 'configuration_update',
      id: id ?? undefined,
      effort: reasoning.effort,
      extra: extraOfUpdate(item, path),
    };
  },
};

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
const extraOfAgentMessage = createExtraReader(AgentMessageSchema);

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
      extra: extraOfAgentMessage(item, path),
    };
  },
};

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

/** How reasoning items are read. */
export const reasoningKind: ItemKind = {
  schema: ReasoningItemSchema,
  read(item, path, { pairing, carriers }) {
    const read = readReasoningItem(item, path, carriers);
    pairing.other();
    return read;
  },
};

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
const extraOfMessage = createExtraReader(MessageSchema);

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
      extra: extraOfMessage(item, path),
    };
  },
};
