import type { FunctionTool } from '../core/request.ts';
import { type ServiceType, serviceFunctionName } from '../core/tool.ts';
import { type Checker, createChecker } from '../schema/checker.ts';
import type { Static, TSchema } from '../util/json-schema.ts';

/** The function that stands for a tool, and the check of its arguments. */
export interface ToolFunction<Schema extends TSchema> {
  readonly definition: FunctionTool;
  /** @throws HeadgateError `invalid_request` for arguments against the schema: the model reads the message. */
  readonly check: Checker<Static<Schema>>;
}

/** Makes the function of a tool from the schema of its arguments, once for all requests. */
export function toolFunction<Schema extends TSchema>(
  type: ServiceType,
  description: string,
  parameters: Schema,
): ToolFunction<Schema> {
  const name = serviceFunctionName(type);
  return {
    definition: { kind: 'function', name, description, parameters: { ...parameters } },
    check: createChecker(parameters),
  };
}
