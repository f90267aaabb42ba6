import type { HostedItemType } from '../../core/hosted.ts';
import type { InferenceRequest } from '../../core/inference-request.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { CommandOutcome } from '../../sandbox/sandbox-driver.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { integer, list, optional, Type, text } from '../../util/json-schema.ts';
import { toolFunction } from '../function-definition.ts';
import {
  entryOf,
  type ServerTool,
  type ToolContext,
  type ToolOffer,
  type ToolResult,
} from '../server-tool.ts';
import { boundsOf, RequestContainer } from './request-container.ts';
import { shellHistory } from './shell-history.ts';

const type = 'service:shell';
const { definition, check } = toolFunction(
  type,
  'Runs commands with bash in a container without a network, one after the other. Files stay, variables and processes do ' +
    'not. Returns stdout, stderr and how each command ended.',
  Type.Object({
    commands: list(text(), {
      minItems: 1,
      maxItems: 32,
      description: 'Command lines, in the order to run them.',
    }),
    timeout_ms: optional(integer({ description: 'How long each command may take, in milliseconds.' })),
    max_output_length: optional(integer({ description: 'Characters of each output to return at most.' })),
  }),
);

/**
 * `service:shell`, and `shell` with a container as its environment: commands in a container of the gateway
 * (docs/spec/server-tools.md#shell-and-bash).
 */
export function shellTool(sandbox: Sandbox): ServerTool {
  return {
    type,
    replaces: {
      kind: 'shell',
      item: 'shell_call',
      isReady: () => true,
      takes: ({ environment }) => namesContainer(environment),
    },
    concerns: (request) => entryOf(request, type) !== undefined || listsHosted(request),
    offer(request, context) {
      const entry = entryOf(request, type);
      // The client runs it.
      if (entry === undefined) return [];
      const container = new RequestContainer(sandbox, entry.spelled, entry.settings, request, context);
      return [new ShellOffer(container, entry.as)];
    },
    open: (request) =>
      entryOf(request, type)?.as === undefined
        ? undefined
        : Promise.resolve(shellHistory(request, definition.name)),
  };
}

function namesContainer(environment: unknown): boolean {
  return (
    isObject(environment) &&
    (environment.type === 'container_auto' || environment.type === 'container_reference')
  );
}

function listsHosted({ canonical: { tools } }: InferenceRequest): boolean {
  return tools.some(
    (tool) => tool.kind === 'hosted' && tool.tool === 'shell' && namesContainer(tool.settings.environment),
  );
}

/** The shell of one request. */
class ShellOffer implements ToolOffer {
  readonly type = type;
  readonly definition = definition;
  readonly idPrefix: 'sh_' | 'shc_';
  readonly as: HostedItemType | undefined;
  readonly announce: ToolOffer['announce'];
  readonly #container: RequestContainer;

  constructor(container: RequestContainer, as: HostedItemType | undefined) {
    this.#container = container;
    this.as = as;
    this.idPrefix = as === undefined ? 'shc_' : 'sh_';
    // A call of the client's kind of item overlaps no other, so it is shown once it ran.
    if (as === undefined)
      this.announce = (input, written, call_id) => ({ call_id, action: actionOf(input), arguments: written });
  }

  failed(input: JsonObject): JsonObject {
    return { action: actionOf(input), arguments: JSON.stringify(input) };
  }

  async run(input: JsonObject, { signal, callId, written }: ToolContext): Promise<ToolResult> {
    const { commands, timeout_ms, max_output_length } = check(input, '');
    const bounds = boundsOf(timeout_ms, max_output_length);
    const output: JsonObject[] = [];
    for (const command of commands) {
      output.push(outputOf(await this.#container.exec(command, bounds, signal), bounds.output));
    }
    const call = { call_id: callId, action: actionOf(input), arguments: written };
    const container_id = this.#container.get().id;
    const result = JSON.stringify({ output });
    if (this.as === undefined) return { output: result, fields: { ...call, output, container_id } };
    const shown = { call_id: callId, output, container_id, max_output_length: max_output_length ?? null };
    return {
      output: result,
      fields: call,
      also: [{ as: 'shell_call_output', idPrefix: 'sho_', fields: shown }],
    };
  }
}

function actionOf({ commands, timeout_ms, max_output_length }: JsonObject): JsonObject {
  return {
    commands: Array.isArray(commands) ? commands.map(String) : [],
    timeout_ms: typeof timeout_ms === 'number' ? timeout_ms : null,
    max_output_length: typeof max_output_length === 'number' ? max_output_length : null,
  };
}

function outputOf({ stdout, stderr, exitCode }: CommandOutcome, most: number): JsonObject {
  return {
    stdout: stdout.slice(0, most),
    stderr: stderr.slice(0, most),
    outcome: exitCode === undefined ? { type: 'timeout' } : { type: 'exit', exit_code: exitCode },
  };
}
