import { Type } from '../../../core/json-schema.ts';
import { createChecker } from '../checker.ts';
import { malformed } from '../fault.ts';
import { isObject } from '../kind-table.ts';
import { anyObject, choice, flag, optional, text } from '../schema.ts';
import { withoutNulls } from '../without-nulls.ts';
import type { ToolKind } from './tool-kind.ts';

/** `function`: a function the client runs. */
export const FunctionToolSchema = Type.Object({
  type: choice('function'),
  name: text({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
  description: optional(text()),
  parameters: optional(anyObject()),
  strict: optional(flag()),
  async: optional(flag()),
  defer_loading: optional(flag()),
});

const checkFunctionTool = createChecker(FunctionToolSchema);

/** How function tools are read. */
export const functionTool: ToolKind = {
  schema: FunctionToolSchema,
  read(tool, path) {
    if (tool.name === undefined && isObject(tool.function)) {
      const problem = 'the function form here is flat, put name, description and parameters beside type';
      throw malformed(`${path}.function`, problem);
    }
    const present = withoutNulls(checkFunctionTool(tool, path));
    if (present.defer_loading === true) {
      // Tool search is not served yet, so nothing could ever load such a tool.
      throw malformed(`${path}.defer_loading`, 'requires the tool "service:tool_search" in tools');
    }
    const { name, description, parameters, strict } = present;
    return {
      tool: { kind: 'function', name, description, parameters, strict, async: present.async },
      echo: {
        ...present,
        type: 'function',
        description: description ?? null,
        parameters: parameters ?? null,
        strict: strict ?? null,
      },
    };
  },
};
