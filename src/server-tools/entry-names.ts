import { HeadgateError } from '../core/errors.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import { type ServiceTool, type ServiceType, serviceFunctionName } from '../core/tool.ts';

/** One entry of a tool that may be listed more than once. */
export interface NamedEntry {
  readonly tool: ServiceTool;
  /** The name of its function: the first entry has the bare one. */
  readonly functionName: string;
  /** The entry's own name; undefined without one. */
  readonly name?: string;
  /** By what name its items tell it apart from other entries. */
  readonly instance: string;
}

const form = /^[A-Za-z0-9 _-]{1,64}$/;

/**
 * The entries of a tool, in order (docs/spec/server-tools.md#entries).
 * @throws HeadgateError `invalid_request` when names break the rules.
 */
export function namedEntries({ canonical }: InferenceRequest, type: ServiceType): readonly NamedEntry[] {
  const tools = canonical.serviceTools?.filter((tool) => tool.type === type) ?? [];
  const seen = new Set<string | undefined>();
  return tools.map((tool, index) => {
    const name = typeof tool.settings.name === 'string' ? tool.settings.name.trim() : undefined;
    if (name !== undefined && !form.test(name)) {
      throw invalid(type, 'a name must have 1 to 64 letters, digits, spaces, "_" or "-"');
    }
    if (seen.has(name)) {
      throw invalid(
        type,
        name === undefined ? 'only one entry may be without a name' : `the name "${name}" is there twice`,
      );
    }
    seen.add(name);
    const bare = serviceFunctionName(type);
    const functionName = index === 0 ? bare : `${bare}__${index}`;
    return { tool, functionName, ...(name !== undefined && { name }), instance: name ?? functionName };
  });
}

function invalid(type: ServiceType, problem: string): HeadgateError {
  return new HeadgateError('invalid_request', `tools: "${type}": ${problem}`);
}
