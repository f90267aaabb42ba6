import { efforts } from '../../../../core/efforts.ts';
import { createChecker } from '../../../../schema/checker.ts';
import { createExtraReader } from '../../../../schema/members.ts';
import { choice, optional, Type, text } from '../../../../util/json-schema.ts';
import type { ItemKind } from './item-kind.ts';

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
const extraOf = createExtraReader(ConfigurationUpdateSchema);

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
      extra: extraOf(item, path),
    };
  },
};
