import type { Delta, FinishReason } from '../core/delta.ts';
import type { HostedKind } from '../core/hosted.ts';
import { createId } from '../core/ids.ts';
import { ArrivingObject } from '../util/arriving-object.ts';
import { isObject, type JsonObject, parseJson } from '../util/json.ts';
import { JsonMemberReader } from './json-member-reader.ts';
import { readPatch, readShellAction } from './tool-arguments.ts';
import type { Restorer } from './translation.ts';

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
export function createHostedRestorer(kinds: ReadonlyMap<string, HostedKind>): Restorer {
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
