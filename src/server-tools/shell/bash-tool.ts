import { HeadgateError } from '../../core/errors.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { CommandOutcome } from '../../sandbox/sandbox-driver.ts';
import type { JsonObject } from '../../util/json.ts';
import { flag, integer, list, optional, Type, text } from '../../util/json-schema.ts';
import { toolFunction } from '../function-definition.ts';
import {
  entryOf,
  type ServerTool,
  type ToolContext,
  type ToolOffer,
  type ToolResult,
} from '../server-tool.ts';
import { boundsOf, RequestContainer } from './request-container.ts';

const type = 'service:bash';
const { definition, check } = toolFunction(
  type,
  'Runs a command with bash, or several as one script. Files stay between calls. Returns stdout, stderr and the exit code.',
  Type.Object({
    command: optional(text({ description: 'The command to run.' })),
    commands: optional(list(text(), { maxItems: 32, description: 'Several lines of one script.' })),
    restart: optional(flag({ description: 'Begins anew with no files, before anything is run.' })),
    timeout_ms: optional(integer({ description: 'How long all of it may take, in milliseconds.' })),
    max_output_length: optional(integer({ description: 'Characters of each output to return at most.' })),
  }),
);

/** What `timeout` exits with, for items that only know exit codes. */
const timedOut = 124;

/**
 * `service:bash`: commands in a container of the gateway with `engine: service`, else handed to the client
 * (docs/spec/server-tools.md#shell-and-bash).
 */
export function bashTool(sandbox: Sandbox): ServerTool {
  return {
    type,
    concerns: (request) => entryOf(request, type) !== undefined,
    offer(request, context) {
      const entry = entryOf(request, type);
      if (entry?.settings.engine !== 'service') return [handOver];
      return [new BashOffer(new RequestContainer(sandbox, entry.spelled, entry.settings, request, context))];
    },
  };
}

/** Gives the command to the client, which runs it and replays the item with its outcome. */
const handOver: ToolOffer = {
  type,
  definition,
  idPrefix: 'bash_',
  hidesFailures: true,
  async run(input, { callId, written }) {
    const command = commandOf(input);
    return {
      output: 'The command was handed over.',
      fields: { call_id: callId, command, arguments: written },
      ends: true,
    };
  },
};

/** The bash of one request. */
class BashOffer implements ToolOffer {
  readonly type = type;
  readonly definition = definition;
  readonly idPrefix = 'bash_';
  readonly #container: RequestContainer;

  constructor(container: RequestContainer) {
    this.#container = container;
  }

  announce(input: JsonObject, written: string, call_id: string): JsonObject {
    return { call_id, command: scriptOf(input), arguments: written };
  }

  failed(input: JsonObject): JsonObject {
    return { command: scriptOf(input), arguments: JSON.stringify(input) };
  }

  async run(input: JsonObject, { signal, callId, written }: ToolContext): Promise<ToolResult> {
    const { restart, timeout_ms, max_output_length } = check(input, '');
    const bounds = boundsOf(timeout_ms, max_output_length);
    if (restart === true) this.#container.restart();
    const isBare = restart === true && scriptOf(input) === '';
    const command = isBare ? '' : commandOf(input);
    const ran = isBare ? restarted : await this.#container.exec(command, bounds, signal);
    const result = { command, ...shown(ran, bounds) };
    const container_id = isBare ? {} : { container_id: this.#container.get().id };
    return {
      output: JSON.stringify(result),
      fields: { ...result, ...container_id, call_id: callId, arguments: written },
    };
  }
}

const restarted: CommandOutcome = { stdout: '', stderr: '', exitCode: 0 };

function shown(
  { stdout, stderr, exitCode }: CommandOutcome,
  { timeout, output }: ReturnType<typeof boundsOf>,
) {
  const late = exitCode === undefined ? `\n[ended after ${timeout} ms]` : '';
  return {
    stdout: stdout.slice(0, output),
    stderr: (stderr.slice(0, output) + late).trimStart(),
    exitCode: exitCode ?? timedOut,
  };
}

/** @throws HeadgateError `invalid_request` for a call without a command. */
function commandOf(input: JsonObject): string {
  check(input, '');
  const script = scriptOf(input);
  if (script === '') throw new HeadgateError('invalid_request', 'command: is required');
  return script;
}

function scriptOf({ command, commands }: JsonObject): string {
  if (typeof command === 'string') return command;
  return Array.isArray(commands) ? commands.map(String).join('\n') : '';
}
