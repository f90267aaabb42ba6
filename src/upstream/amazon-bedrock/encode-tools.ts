import { breakpointOfTool } from '../../core/breakpoints.ts';
import type { FunctionTool, Tool, ToolChoice } from '../../core/request.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import { claudeTraits } from '../claude-model.ts';
import { strictFunctions } from '../enforced-schemas.ts';
import { fitOutputSchema } from '../fit-output-schema.ts';
import { refusal } from '../refusal.ts';
import { supports } from '../supported-parameters.ts';
import { cachePointFor } from './cache-points.ts';
import type { ToolConfig, ToolSpec, Turn } from './wire-types.ts';

/**
 * Encodes tools and the tool choice. A conversation with calls must declare its tools even when the request offers
 * none, so they are declared by name.
 * @param thinks Whether the model thinks first, which forbids a forced call.
 */
export function encodeTools(
  call: UpstreamCall,
  messages: readonly Turn[],
  thinks: boolean,
): ToolConfig | undefined {
  const { request, endpoint } = call;
  if (request.tools.length === 0 || !supports(endpoint, 'tools')) {
    const names = namesOfCalls(messages);
    return names.length === 0
      ? undefined
      : { tools: names.map((name) => encodeFunction({ kind: 'function', name }, false)) };
  }
  const canBeStrict = endpoint.supportedParameters?.has('structured_outputs') === true;
  const canBeForced = !thinks && claudeTraits(endpoint.upstreamModel)?.forcedCalls !== false;
  const toolChoice =
    supports(endpoint, 'tool_choice') && canBeForced ? encodeChoice(request.toolChoice) : undefined;
  const strict = canBeStrict ? strictFunctions(request.tools) : undefined;
  const pointFor = cachePointFor(call);
  const tools = request.tools.flatMap((tool): ToolSpec[] => {
    const spec = encodeTool(tool, strict?.has(tool) === true);
    const cachePoint = pointFor(breakpointOfTool(tool));
    return cachePoint === undefined ? [spec] : [spec, { cachePoint }];
  });
  return { tools, toolChoice };
}

function namesOfCalls(messages: readonly Turn[]): string[] {
  const calls = messages.flatMap(({ content }) =>
    content.flatMap((block) => ('toolUse' in block && block.toolUse?.name ? [block.toolUse.name] : [])),
  );
  return [...new Set(calls)];
}

function encodeTool(tool: Tool, isStrict: boolean): ToolSpec {
  if (tool.kind !== 'function') throw refusal(`no ${tool.kind} tools`);
  return encodeFunction(tool, isStrict);
}

function encodeFunction({ name, description, parameters }: FunctionTool, isStrict: boolean): ToolSpec {
  const schema = { type: 'object', properties: {}, ...parameters };
  return {
    toolSpec: {
      name,
      // The dialect refuses an empty description.
      description: description?.trim() ? description : undefined,
      inputSchema: { json: isStrict ? fitOutputSchema(schema) : schema },
      strict: isStrict ? true : undefined,
    },
  };
}

/** Undefined leaves the choice to the model. */
function encodeChoice(choice: ToolChoice): ToolConfig['toolChoice'] {
  if (choice.kind === 'tool') return { tool: { name: choice.name } };
  return choice.kind === 'required' ? { any: {} } : undefined;
}
