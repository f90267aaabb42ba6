import type { HostedKind } from '../../../core/hosted.ts';
import type { CustomTool, FunctionTool, ServiceTool, Tool } from '../../../core/request.ts';
import type { JsonObject } from '../../../util/json.ts';
import type { TSchema } from '../../../util/json-schema.ts';

/** A tool of a request: what the adapter gets, and what the response repeats (docs/spec/tools.md#repeated-tools). */
export interface ReadTool<Kind extends Tool | ServiceTool = Tool | ServiceTool> {
  readonly tool: Kind;
  readonly echo: JsonObject;
}

/** A tool the client runs. */
export type ReadClientTool = ReadTool<FunctionTool | CustomTool>;

/** One kind of tool (docs/spec/tools.md#kinds): its public schema, and how it becomes canonical. */
export interface ToolKind<Read extends ReadTool = ReadTool> {
  readonly schema: TSchema;
  /** The kind of a hosted tool, whatever version this spelling of it names. */
  readonly hosted?: HostedKind;
  /** @throws HeadgateError `invalid_request` or `unprocessable`. */
  readonly read: (tool: JsonObject, path: string) => Read;
}
