import { HeadgateError } from '../../core/errors.ts';
import type { FunctionTool } from '../../core/request.ts';
import type { ServiceTool } from '../../core/tool.ts';
import { createChecker } from '../../schema/checker.ts';
import type { JsonObject } from '../../util/json.ts';
import { Type, text } from '../../util/json-schema.ts';
import { type NamedEntry, namedEntries } from '../entry-names.ts';
import { innerCanonical, messageOf, readInnerSettings } from '../inner-request.ts';
import type { ServerTool, ToolContext, ToolOffer, ToolResult } from '../server-tool.ts';

const type = 'service:subagent';
/** Calls of all workers of one request. */
const mostCalls = 20;

const checkInput = createChecker(
  Type.Object({ task_name: text({ minLength: 1 }), task_description: text({ minLength: 1 }) }),
);

/** `service:subagent`: a worker that does one task on its own (docs/spec/server-tools.md#subagent). */
export const subagentTool: ServerTool = {
  type,
  concerns: ({ canonical }) => canonical.serviceTools?.some((tool) => tool.type === type) === true,
  offer(request) {
    const calls = { left: mostCalls };
    return namedEntries(request, type).map((entry, index) => new SubagentOffer(entry, index > 0, calls));
  },
};

/** One kind of worker of one request. */
class SubagentOffer implements ToolOffer {
  readonly type = type;
  readonly definition: FunctionTool;
  readonly #entry: NamedEntry;
  readonly #isLater: boolean;
  readonly #calls: { left: number };

  constructor(entry: NamedEntry, isLater: boolean, calls: { left: number }) {
    this.#entry = entry;
    this.#isLater = isLater;
    this.#calls = calls;
    this.definition = definitionOf(entry);
  }

  announce(input: JsonObject, _written: string, callId: string): JsonObject {
    return { ...this.#shown(input), call_id: callId };
  }

  failed(input: JsonObject): JsonObject {
    return this.#shown(input);
  }

  async run(input: JsonObject, context: ToolContext): Promise<ToolResult> {
    const { settings } = this.#entry.tool;
    const { task_name, task_description } = checkInput(input, '');
    if (this.#calls.left <= 0) throw new HeadgateError('invalid_request', 'No more tasks can be given away.');
    this.#calls.left -= 1;
    const model = typeof settings.model === 'string' ? settings.model : context.model;
    const tools = settings.tools as readonly ServiceTool[] | undefined;
    const canonical = {
      ...innerCanonical([messageOf('user', task_description)], readInnerSettings(settings)),
      ...(tools !== undefined && tools.length > 0 && { serviceTools: tools }),
      ...(typeof settings.max_tool_calls === 'number' && { maxToolCalls: settings.max_tool_calls }),
    };
    const answer = await context.innerTurn({ models: [model], canonical });
    const { text: outcome } = answer;
    return {
      output: JSON.stringify({ status: 'ok', model: answer.model, task_name, outcome }),
      fields: { ...this.#shown(input), call_id: context.callId, model: answer.model, outcome },
    };
  }

  #shown({ task_name, task_description }: JsonObject): JsonObject {
    const { name, instance } = this.#entry;
    return {
      ...(typeof task_name === 'string' && { task_name }),
      ...(typeof task_description === 'string' && { task_description }),
      ...(name !== undefined && { name }),
      ...(this.#isLater && { instance_name: instance }),
    };
  }
}

function definitionOf({ functionName, name }: NamedEntry): FunctionTool {
  return {
    kind: 'function',
    name: functionName,
    description: `Gives a task to ${name === undefined ? 'a worker' : `the worker "${name}"`}, which knows nothing of this conversation and reports once.`,
    parameters: {
      type: 'object',
      properties: {
        task_name: { type: 'string', description: 'A short name.' },
        task_description: {
          type: 'string',
          description: 'The task, with everything the worker has to know.',
        },
      },
      required: ['task_name', 'task_description'],
    },
  };
}
