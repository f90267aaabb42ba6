import { createChecker } from '../../../schema/checker.ts';
import { byKind, choice, flag, optional, Type, text } from '../../../util/json-schema.ts';
import { withoutNulls } from '../without-nulls.ts';
import type { ReadClientTool, ToolKind } from './tool-kind.ts';

const FormatSchema = byKind('type', {
  text: Type.Object({ type: choice('text') }),
  grammar: Type.Object({
    type: choice('grammar'),
    syntax: choice('lark', 'regex'),
    definition: text(),
  }),
});

/** `custom`: a tool the client runs whose input is free text, perhaps held to a grammar. */
export const CustomToolSchema = Type.Object({
  type: choice('custom'),
  name: text({ minLength: 1 }),
  description: optional(text()),
  format: optional(FormatSchema),
  async: optional(flag()),
});

const checkCustomTool = createChecker(CustomToolSchema);

/** How custom tools are read. */
export const customTool: ToolKind<ReadClientTool> = {
  schema: CustomToolSchema,
  read(raw, path) {
    const present = withoutNulls(checkCustomTool(raw, path));
    const { name, description, format } = present;
    const grammar =
      format?.type === 'grammar' ? { syntax: format.syntax, definition: format.definition } : undefined;
    return {
      tool: { kind: 'custom', name, description, grammar, async: present.async },
      echo: { ...present },
    };
  },
};
