import { createChecker } from '../../../../schema/checker.ts';
import { createExtraReader } from '../../../../schema/members.ts';
import { anyOf, choice, handled, list, optional, Type, text } from '../../../../util/json-schema.ts';
import { readAddedTools, toolSchemas } from '../../../gateway/tools/tools.ts';
import type { ItemKind } from './item-kind.ts';

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
const extraOf = createExtraReader(AdditionalToolsSchema);

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
      extra: extraOf(item, path),
    };
  },
};
