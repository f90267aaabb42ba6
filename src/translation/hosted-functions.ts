import { clientTools, offeredTools } from '../core/client-tools.ts';
import { featureOfTool } from '../core/features.ts';
import type { HostedKind } from '../core/hosted.ts';
import type { FunctionTool, ToolChoice } from '../core/request.ts';
import type { JsonObject } from '../util/json.ts';
import type { Draft } from './draft.ts';
import { clientRunKinds } from './features-used.ts';
import { createHostedRestorer } from './hosted-restorer.ts';

/** Kinds of tools that functions emulate, with the name of the function. */
export type FunctionNames = ReadonlyMap<HostedKind, string>;

/**
 * Offers tools that the client answers as functions, and turns calls of these back into the tools' own items
 * (docs/spec/tools.md#tools-as-functions). Returns the names for replayed items of these tools, offered or not.
 */
export function rewriteHostedTools(draft: Draft): FunctionNames {
  const kinds = [...clientRunKinds].filter((kind) => draft.emulationOf(featureOfTool(kind)) !== undefined);
  const names = new Map(kinds.map((kind) => [kind, freeName(kind, draft)]));
  if (names.size === 0) return names;
  for (const kind of kinds)
    draft.note(
      featureOfTool(kind),
      'emulated',
      'offered as a function; its calls come back as items of the tool',
    );
  const offered = offeredTools(draft.request).flatMap((tool) => (tool.kind === 'hosted' ? tool.tool : []));
  const played = kinds.filter((kind) => offered.includes(kind));
  if (played.length > 0) offerFunctions(draft, names, played);
  return withShell(names, offered);
}

function offerFunctions(draft: Draft, names: FunctionNames, played: readonly HostedKind[]): void {
  draft.mapTools((tool) => {
    const name = tool.kind === 'hosted' ? names.get(tool.tool) : undefined;
    return tool.kind === 'hosted' && name !== undefined ? toFunction(tool.tool, name) : tool;
  });
  draft.change({ toolChoice: toFunctionChoice(draft.request.toolChoice, names) });
  draft.restorers.push(createHostedRestorer(new Map(played.map((kind) => [names.get(kind) ?? kind, kind]))));
}

/** The two shells share their items, so the offered one serves both. */
function withShell(names: FunctionNames, offered: readonly HostedKind[]): FunctionNames {
  const shells = (['shell', 'local_shell'] as const).filter((kind) => offered.includes(kind));
  const name = names.get(shells[0] ?? 'shell');
  if (shells.length !== 1 || name === undefined) return names;
  return new Map([...names].map(([kind, own]) => [kind, kind === 'apply_patch' ? own : name]));
}

/** The kind's own name, unless one of the client's functions has it. */
function freeName(kind: HostedKind, draft: Draft): string {
  const taken = new Set(clientTools(offeredTools(draft.request)).map(({ tool }) => tool.name));
  let name: string = kind;
  while (taken.has(name)) name += '_tool';
  return name;
}

function toFunction(kind: HostedKind, name: string): FunctionTool {
  const definition = kind === 'apply_patch' ? patchFunction : shellFunction;
  return { kind: 'function', name, ...definition };
}

function toFunctionChoice(choice: ToolChoice, names: FunctionNames): ToolChoice {
  if (choice.kind === 'hosted') {
    const name = names.get(choice.tool);
    return name === undefined ? choice : { kind: 'tool', form: 'function', name };
  }
  if (choice.kind !== 'allowed' || choice.hosted === undefined) return choice;
  const played = choice.hosted.flatMap((kind) => names.get(kind) ?? []);
  const hosted = choice.hosted.filter((kind) => !names.has(kind));
  return { ...choice, names: [...choice.names, ...played], hosted };
}

interface Definition {
  readonly description: string;
  readonly parameters: JsonObject;
}

const shellFunction: Definition = {
  description:
    "Runs commands in a shell on the user's machine. The commands run one after another; the answer is a JSON list " +
    'with stdout, stderr and how each command ended.',
  parameters: {
    type: 'object',
    properties: {
      commands: {
        type: 'array',
        items: { type: 'string' },
        description: 'Command lines, in the order to run them.',
      },
      timeout_ms: { type: 'integer', description: 'How long the commands may take, in milliseconds.' },
      max_output_length: { type: 'integer', description: 'How many characters of output to return at most.' },
    },
    required: ['commands'],
    additionalProperties: false,
  },
};

const patchFunction: Definition = {
  description:
    'Creates, changes or deletes one file. To create a file, `diff` is its whole text with "+" before every line. To ' +
    'change a file, `diff` is one or more sections: each begins with a line "@@", optionally followed by a line of the ' +
    'file that tells where the section is, then lines with " " before what stays, "-" before what goes and "+" before ' +
    'what comes, with about three lines that stay around every change. There are no line numbers and no file headers.',
  parameters: {
    type: 'object',
    properties: {
      type: { type: 'string', enum: ['create_file', 'update_file', 'delete_file'] },
      path: { type: 'string', description: 'The path of the file, relative to the working directory.' },
      diff: { type: 'string', description: 'What to write; left out when a file is deleted.' },
    },
    required: ['type', 'path'],
    additionalProperties: false,
  },
};
