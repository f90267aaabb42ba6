import { Type } from '../../../core/json-schema.ts';
import type { CustomTool } from '../../../core/request.ts';
import { createChecker } from '../checker.ts';
import { asObject, type KindTable, rowFor } from '../kind-table.ts';
import { anyOf, choice, flag, handled, optional, text } from '../schema.ts';
import { withoutNulls } from '../without-nulls.ts';
import type { ToolKind } from './tool-kind.ts';

const GrammarSchema = Type.Object({
  type: choice('grammar'),
  syntax: choice('lark', 'regex'),
  definition: text(),
});

/** `custom`: a tool the client runs whose input is free text, perhaps held to a grammar. */
export const CustomToolSchema = Type.Object({
  type: choice('custom'),
  name: text({ minLength: 1 }),
  description: optional(text()),
  format: Type.Optional(handled(anyOf(Type.Object({ type: choice('text') }), GrammarSchema, Type.Null()))),
  async: optional(flag()),
});

const checkCustomTool = createChecker(CustomToolSchema);
const checkGrammar = createChecker(GrammarSchema);

type Grammar = CustomTool['grammar'];

const formats: KindTable<(format: unknown, path: string) => Grammar> = {
  key: 'type',
  rows: new Map([
    ['text', () => undefined],
    ['grammar', readGrammar],
  ]),
};

/** How custom tools are read. */
export const customTool: ToolKind = {
  schema: CustomToolSchema,
  read(tool, path) {
    const present = withoutNulls(checkCustomTool(tool, path));
    const { name, description, format } = present;
    const place = `${path}.format`;
    const grammar =
      format === undefined ? undefined : rowFor(formats, asObject(format, place), place)(format, place);
    return {
      tool: { kind: 'custom', name, description, grammar, async: present.async },
      echo: { ...present },
    };
  },
};

function readGrammar(format: unknown, path: string): Grammar {
  const { syntax, definition } = checkGrammar(format, path);
  return { syntax, definition };
}
