import type { FunctionTool } from '../../../core/request.ts';
import { createChecker } from '../../../schema/checker.ts';
import { malformed } from '../../../schema/fault.ts';
import { isObject, type JsonObject } from '../../../util/json.ts';
import {
  anyObject,
  choice,
  flag,
  list,
  optional,
  type Static,
  Type,
  text,
} from '../../../util/json-schema.ts';
import { CacheControlSchema, readCacheControl } from '../common-settings.ts';
import { type WithoutNulls, withoutNulls } from '../without-nulls.ts';
import type { ReadClientTool, ToolKind } from './tool-kind.ts';

const members = {
  type: choice('function'),
  name: text({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
  description: optional(text()),
  parameters: optional(anyObject()),
  strict: optional(flag()),
  async: optional(flag()),
  defer_loading: optional(flag()),
  cache_control: optional(CacheControlSchema),
};

/** `function`: a function the client runs. */
const FunctionToolSchema = Type.Object(members);

/** A function inside a namespace. */
export const NamespaceFunctionSchema = Type.Object({
  ...members,
  output_schema: optional(anyObject()),
  allowed_callers: optional(list(choice('direct', 'programmatic'))),
});

const checkFunctionTool = createChecker(FunctionToolSchema);
const checkNamespaceFunction = createChecker(NamespaceFunctionSchema);

/** How function tools are read. */
export const functionTool: ToolKind<ReadClientTool> = {
  schema: FunctionToolSchema,
  read(raw, path) {
    refuseNested(raw, path);
    return readFunction(withoutNulls(checkFunctionTool(raw, path)));
  },
};

/** How functions inside a namespace are read. */
export const namespaceFunction: ToolKind<ReadClientTool> = {
  schema: NamespaceFunctionSchema,
  read(raw, path) {
    refuseNested(raw, path);
    const present = withoutNulls(checkNamespaceFunction(raw, path));
    const { output_schema: outputSchema, allowed_callers: allowedCallers } = present;
    const { tool, echo } = readFunction(present);
    return { tool: { ...tool, outputSchema, allowedCallers }, echo };
  },
};

function refuseNested(tool: JsonObject, path: string): void {
  if (tool.name !== undefined || !isObject(tool.function)) return;
  const problem = 'the function form here is flat, put name, description and parameters beside type';
  throw malformed(`${path}.function`, problem);
}

function readFunction(present: WithoutNulls<Static<typeof FunctionToolSchema>>): {
  readonly tool: FunctionTool;
  readonly echo: JsonObject;
} {
  const { name, description, parameters, strict } = present;
  // Answers of this dialect have no such member as the mark.
  const { cache_control: mark, ...shown } = present;
  return {
    tool: {
      kind: 'function',
      name,
      description,
      parameters,
      strict,
      ...(strict === undefined && { leavesStrict: true }),
      async: present.async,
      ...(present.defer_loading === true && { deferred: true }),
      ...(mark !== undefined && { cacheControl: readCacheControl(mark) }),
    },
    echo: {
      ...shown,
      type: 'function',
      description: description ?? null,
      parameters: parameters ?? null,
      strict: strict ?? null,
    },
  };
}
