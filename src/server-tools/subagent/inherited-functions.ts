import { clientTools, offeredTools } from '../../core/client-tools.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { InferenceRequest } from '../../core/inference-request.ts';
import type { FunctionTool } from '../../core/request.ts';
import type { JsonObject } from '../../util/json.ts';

/**
 * The functions of the client that a worker may call (docs/spec/server-tools.md#functions-of-the-client): all of the request, or
 * those that its entry names. Functions in namespaces are not among them.
 * @throws HeadgateError `invalid_request` for a name that no function of the request has.
 */
export function inheritedFunctions(
  settings: JsonObject,
  { canonical }: InferenceRequest,
): readonly FunctionTool[] {
  const { inherit_functions: all, inherited_function_names: names } = settings;
  if (all !== true && !Array.isArray(names)) return [];
  const functions = clientTools(offeredTools(canonical)).flatMap(({ tool, namespace }) =>
    tool.kind === 'function' && namespace === undefined ? [{ ...tool, deferred: undefined }] : [],
  );
  if (all === true || !Array.isArray(names)) return functions;
  const wanted = names.map((name) => String(name).trim());
  const missing = wanted.find((name) => !functions.some((tool) => tool.name === name));
  if (missing === undefined) return functions.filter(({ name }) => wanted.includes(name));
  const problem = `the request has no function "${missing}"; list it in tools, or leave the name out`;
  throw new HeadgateError(
    'invalid_request',
    `tools: "service:subagent": inherited_function_names: ${problem}`,
  );
}
