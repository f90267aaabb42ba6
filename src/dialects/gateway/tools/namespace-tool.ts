import { createChecker } from '../../../schema/checker.ts';
import { asObject, type KindTable, rowFor } from '../../../schema/kind-table.ts';
import { anyOf, choice, handled, list, Type, text } from '../../../util/json-schema.ts';
import { CustomToolSchema, customTool } from './custom-tool.ts';
import { NamespaceFunctionSchema, namespaceFunction } from './function-tool.ts';
import type { ReadClientTool, ToolKind } from './tool-kind.ts';
import { ToolNames } from './tool-names.ts';

/** `namespace`: tools of the client under one name, which their calls carry. */
const NamespaceToolSchema = Type.Object({
  type: choice('namespace'),
  name: text({ minLength: 1 }),
  description: text(),
  tools: list(handled(anyOf(NamespaceFunctionSchema, CustomToolSchema))),
});

const checkNamespace = createChecker(NamespaceToolSchema);

const memberKinds: KindTable<ToolKind<ReadClientTool>> = {
  key: 'type',
  rows: new Map([
    ['function', namespaceFunction],
    ['custom', customTool],
  ]),
};

/** How namespaces are read; names are unique inside one. */
export const namespaceTool: ToolKind = {
  schema: NamespaceToolSchema,
  read(raw, path) {
    const { name, description, tools } = checkNamespace(raw, path);
    const names = new ToolNames();
    const members = tools.map((entry, index) => {
      const place = `${path}.tools[${index}]`;
      const member = asObject(entry, place);
      const read = rowFor(memberKinds, member, place).read(member, place);
      names.take(read.tool, place);
      return read;
    });
    return {
      tool: { kind: 'namespace', name, description, tools: members.map(({ tool }) => tool) },
      echo: { type: 'namespace', name, description, tools: members.map(({ echo }) => echo) },
    };
  },
};
