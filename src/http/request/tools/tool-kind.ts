import type { TSchema } from '../../../core/json-schema.ts';
import type { JsonObject, Tool } from '../../../core/request.ts';

/** A tool of a request: what the adapter gets, and what the response repeats (responses.md 5.5). */
export interface ReadTool {
  readonly tool: Tool;
  readonly echo: JsonObject;
}

/** One kind of tool (responses.md 5): its public schema, and how it becomes canonical. */
export interface ToolKind {
  readonly schema: TSchema;
  /** @throws HeadgateError `invalid_request`. */
  readonly read: (tool: JsonObject, path: string) => ReadTool;
}
