import type { InferenceRequest } from '../core/inference-request.ts';
import type { TakeInnerTurn } from '../core/inner-turn.ts';
import type { FunctionTool } from '../core/request.ts';
import type { JsonObject } from '../util/json.ts';

/** A tool that the gateway runs when the model calls it. */
export interface ServerTool {
  /** Its type id, such as `service:datetime`. */
  readonly type: `service:${string}`;
  /**
   * The function the model is offered for a request; undefined when the request does not list the tool. Asked for every
   * request, so it must cost next to nothing then.
   */
  offer(request: InferenceRequest): FunctionTool | undefined;
  /**
   * Runs one call.
   * @param input The arguments: any JSON object, perhaps against the schema.
   * @throws HeadgateError when it cannot be run: the model gets the message as its result.
   */
  run(input: JsonObject, context: ToolContext): Promise<ToolResult>;
}

/** What a running tool may use. */
export interface ToolContext {
  /** Aborted when the request is. */
  readonly signal: AbortSignal;
  readonly innerTurn: TakeInnerTurn;
}

/** What came of a call. */
export interface ToolResult {
  /** What the model reads. */
  readonly output: string;
  /** What the client sees of the call besides type, id and status. */
  readonly fields: JsonObject;
}
