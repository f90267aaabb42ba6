import { clientTools, offeredTools } from '../core/client-tools.ts';
import type { Delta, FinishReason } from '../core/delta.ts';
import { featureOfTool } from '../core/features.ts';
import type { HostedKind } from '../core/hosted.ts';
import { createId } from '../core/ids.ts';
import type { FunctionTool, ToolChoice } from '../core/request.ts';
import { ArrivingObject } from '../util/arriving-object.ts';
import { isObject, type JsonObject, parseJson } from '../util/json.ts';
import { clientRunKinds } from './features-used.ts';
import { JsonStringReader } from './json-string-reader.ts';
import type { RequestRewriter } from './request-rewriter.ts';
import { readPatch, readShellAction } from './tool-arguments.ts';
import type { Restorer } from './translation.ts';

/** Kinds of tools that functions emulate, with the name of the function. */
export type FunctionNames = ReadonlyMap<HostedKind, string>;

/**
 * Offers tools that the client answers as functions, and turns calls of these back into the tools' own items
 * (docs/spec/tools.md#tools-as-functions). Returns the names for replayed items of these tools, offered or not.
 */
export function rewriteHostedTools(rewriter: RequestRewriter): FunctionNames {
  const kinds = [...clientRunKinds].filter((kind) => rewriter.emulationOf(featureOfTool(kind)) !== undefined);
  const names = new Map(kinds.map((kind) => [kind, freeName(kind, rewriter)]));
  if (names.size === 0) return names;
  for (const kind of kinds)
    rewriter.note(
      featureOfTool(kind),
      'emulated',
      'offered as a function; its calls come back as items of the tool',
    );
  const offered = offeredTools(rewriter.request).flatMap((tool) => (tool.kind === 'hosted' ? tool.tool : []));
  const played = kinds.filter((kind) => offered.includes(kind));
  if (played.length > 0) offerFunctions(rewriter, names, played);
  return withShell(names, offered);
}

function offerFunctions(
  rewriter: RequestRewriter,
  names: FunctionNames,
  played: readonly HostedKind[],
): void {
  rewriter.mapTools((tool) => {
    const name = tool.kind === 'hosted' ? names.get(tool.tool) : undefined;
    return tool.kind === 'hosted' && name !== undefined ? toFunction(tool.tool, name) : tool;
  });
  rewriter.change({ toolChoice: toFunctionChoice(rewriter.request.toolChoice, names) });
  rewriter.restorers.push(
    createHostedRestorer(new Map(played.map((kind) => [names.get(kind) ?? kind, kind]))),
  );
}

/** The two shells share their items, so the offered one serves both. */
function withShell(names: FunctionNames, offered: readonly HostedKind[]): FunctionNames {
  const shells = (['shell', 'local_shell'] as const).filter((kind) => offered.includes(kind));
  const name = names.get(shells[0] ?? 'shell');
  if (shells.length !== 1 || name === undefined) return names;
  return new Map([...names].map(([kind, own]) => [kind, kind === 'apply_patch' ? own : name]));
}

/** The kind's own name, unless one of the client's functions has it. */
function freeName(kind: HostedKind, rewriter: RequestRewriter): string {
  const taken = new Set(clientTools(offeredTools(rewriter.request)).map(({ tool }) => tool.name));
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

type Emit = (delta: Delta) => void;
type CallDelta = Extract<Delta, { kind: 'call' }>;

/** A call of a function that emulates a tool, while it is turned back into an item of that tool. */
interface PlayedCall {
  /** Takes a piece of the arguments. */
  push(text: string, emit: Emit): void;
  /** Called when the arguments are complete, although they may not be complete JSON. */
  end(emit: Emit): void;
}

/**
 * Turns calls of functions back into items of the tools they emulate.
 * @param kinds The emulated tool of each function, by its name.
 */
function createHostedRestorer(kinds: ReadonlyMap<string, HostedKind>): Restorer {
  const calls = new Map<number, PlayedCall>();
  const begin = (delta: CallDelta, kind: HostedKind, emit: Emit) => {
    const callId = delta.callId ?? createId('call_');
    const { block } = delta;
    calls.set(
      block,
      kind === 'apply_patch' ? new PatchCall(block, callId) : new ShellCall(block, callId, emit),
    );
  };
  const finish = (reason: FinishReason, emit: Emit) => {
    // A call that a limit cut off stays incomplete, because half a command must not be run.
    if (reason === 'length' || reason === 'content_filter') return;
    for (const call of calls.values()) call.end(emit);
  };
  const pass = (delta: Delta, emit: Emit) => {
    const call = 'block' in delta ? calls.get(delta.block) : undefined;
    if (call !== undefined && delta.kind === 'arguments') call.push(delta.text, emit);
    else {
      if (delta.kind === 'end') call?.end(emit);
      emit(delta);
    }
  };
  return (delta, emit) => {
    const kind = delta.kind === 'call' && delta.namespace === undefined ? kinds.get(delta.name) : undefined;
    if (delta.kind === 'call' && kind !== undefined) return begin(delta, kind, emit);
    if (delta.kind === 'finish') finish(delta.reason, emit);
    pass(delta, emit);
  };
}

/** Emits a shell's commands once they are complete. */
class ShellCall implements PlayedCall {
  readonly #block: number;
  readonly #callId: string;
  readonly #arguments = new ArrivingObject();
  #isEmitted = false;

  constructor(block: number, callId: string, emit: Emit) {
    this.#block = block;
    this.#callId = callId;
    emit({
      kind: 'hosted',
      block,
      type: 'shell_call',
      fields: { call_id: callId, action: readShellAction({}) },
    });
  }

  push(text: string, emit: Emit): void {
    this.#arguments.add(text);
    // Some dialects never report the end of a call.
    if (this.#arguments.isWhole) this.end(emit);
  }

  end(emit: Emit): void {
    if (this.#isEmitted) return;
    this.#isEmitted = true;
    const { text } = this.#arguments;
    const action = readShellAction(parseObject(text) ?? {});
    const fields = { call_id: this.#callId, action, arguments: text };
    emit({ kind: 'result', block: this.#block, fields });
  }
}

/** Emits a patch as soon as its file is known, and its diff as it arrives. */
class PatchCall implements PlayedCall {
  readonly #block: number;
  readonly #callId: string;
  readonly #reader = new JsonMemberReader();
  readonly #arguments = new ArrivingObject();
  #known: { type?: string; path?: string } = {};
  #diff = '';
  #opened = false;
  #isEmitted = false;
  #partial: Record<string, string> = {};

  constructor(block: number, callId: string) {
    this.#block = block;
    this.#callId = callId;
  }

  push(text: string, emit: Emit): void {
    this.#arguments.add(text);
    for (const piece of this.#reader.push(text)) {
      if (piece.name === 'diff') this.#write(piece.text, emit);
      else this.#learn(piece.name, piece.text, piece.done, emit);
    }
    if (this.#arguments.isWhole) this.end(emit);
  }

  end(emit: Emit): void {
    if (this.#isEmitted) return;
    this.#isEmitted = true;
    const operation = readPatch(parseObject(this.#arguments.text) ?? { ...this.#known, diff: this.#diff });
    if (!this.#opened) this.#open(operation, emit);
    emit({ kind: 'result', block: this.#block, fields: { call_id: this.#callId, operation } });
  }

  #learn(name: string, text: string, done: boolean, emit: Emit): void {
    this.#partial[name] = (this.#partial[name] ?? '') + text;
    if (!done) return;
    if (name === 'type' || name === 'path') this.#known[name] = this.#partial[name] ?? '';
    const { type, path } = this.#known;
    if (this.#opened || type === undefined || path === undefined) return;
    this.#open(readPatch({ type, path }), emit);
    if (this.#diff !== '') emit({ kind: 'fragment', block: this.#block, text: this.#diff });
  }

  #write(text: string, emit: Emit): void {
    this.#diff += text;
    if (this.#opened && text !== '') emit({ kind: 'fragment', block: this.#block, text });
  }

  #open(operation: JsonObject, emit: Emit): void {
    this.#opened = true;
    const announced = 'diff' in operation ? { ...operation, diff: '' } : operation;
    const fields = { call_id: this.#callId, operation: announced };
    emit({ kind: 'hosted', block: this.#block, type: 'apply_patch_call', fields });
  }
}

function parseObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

/** A piece of a string member; the last piece of a member, which may be empty, is `done`. */
interface MemberPiece {
  readonly name: string;
  readonly text: string;
  readonly done: boolean;
}

type Stage = 'member' | 'name' | 'colon' | 'text' | 'other';

/**
 * Reads the string members of a flat JSON object while it arrives, in order. Fragments may be split anywhere. Other
 * members are skipped; members after a nested value are not read.
 */
class JsonMemberReader {
  #stage: Stage = 'member';
  #name = '';
  #reader = new JsonStringReader();

  /** Returns the pieces that this fragment completes. */
  push(fragment: string): readonly MemberPiece[] {
    const pieces: MemberPiece[] = [];
    let rest = fragment;
    while (rest !== '') rest = this.#step(rest, pieces);
    return pieces;
  }

  /** Reads on to the next change of stage and returns the remainder. */
  #step(text: string, pieces: MemberPiece[]): string {
    switch (this.#stage) {
      case 'member':
        return this.#skipTo(text, '"', 'name');
      case 'colon':
        return this.#enterValue(text);
      case 'other':
        return this.#skipTo(text, ',', 'member');
      case 'name':
        this.#name += this.#reader.push(text);
        return this.#leaveString('colon');
      case 'text': {
        const piece = { name: this.#name, text: this.#reader.push(text), done: this.#reader.closed };
        if (piece.text !== '' || piece.done) pieces.push(piece);
        return this.#leaveString('other');
      }
    }
  }

  #skipTo(text: string, mark: string, stage: Stage): string {
    const place = text.indexOf(mark);
    if (place === -1) return '';
    if (stage === 'name') this.#name = '';
    this.#stage = stage;
    return text.slice(place + 1);
  }

  #enterValue(text: string): string {
    const match = /[^\s:]/.exec(text);
    if (match === null) return '';
    if (match[0] === '"') {
      this.#stage = 'text';
      return text.slice(match.index + 1);
    }
    this.#stage = 'other';
    return text.slice(match.index);
  }

  #leaveString(next: Stage): string {
    if (!this.#reader.closed) return '';
    const { rest } = this.#reader;
    this.#reader = new JsonStringReader();
    this.#stage = next;
    return rest;
  }
}
