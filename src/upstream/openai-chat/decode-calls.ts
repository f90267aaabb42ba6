import type { Delta } from '../../core/delta.ts';
import { ArrivingObject } from '../../util/arriving-object.ts';
import { argumentsText, calledName, textOf } from '../lenient.ts';
import { callSignature, callSignatureFormat } from './call-signatures.ts';
import type { CallFragment } from './chunk.ts';

/** A call whose fragments are still arriving. */
interface OpenCall {
  block: number;
  id: string | undefined;
  name: string | undefined;
  /** Whether its input is free text. */
  isCustom: boolean;
  /** The arguments in the provider's form. */
  readonly input: ArrivingObject;
}

/**
 * Joins tool calls from fragments. The dialect numbers calls and names each in its first fragment. Compatible
 * providers repeat ids and names, omit numbers, give all calls the same number or id, send a call in one piece, or
 * send its arguments as an object.
 */
export class CallDecoder {
  readonly #nextBlock: () => number;
  readonly #calls: OpenCall[] = [];
  readonly #byIndex = new Map<number, OpenCall>();
  /** The first call of each id. */
  readonly #byId = new Map<string, OpenCall>();

  /** @param nextBlock returns the block number of a new call. */
  constructor(nextBlock: () => number) {
    this.#nextBlock = nextBlock;
  }

  /** Whether any call was made. */
  get any(): boolean {
    return this.#calls.length > 0;
  }

  /** Whether the arguments of a call have begun and not ended. */
  get isCut(): boolean {
    return this.#calls.some(({ isCustom, input }) => !isCustom && input.text.trim() !== '' && !input.isWhole);
  }

  /** Reads one fragment and appends its deltas. */
  decode(fragment: CallFragment, into: Delta[]): void {
    const id = textOf(fragment.id);
    const name = textOf(fragment.function?.name) ?? textOf(fragment.custom?.name);
    const text = argumentsText(fragment.custom ? fragment.custom.input : fragment.function?.arguments) ?? '';
    const before = this.#calls.length;
    const call = this.#find(fragment.index, id, name, text);
    if (this.#calls.length > before) this.#sign(call, callSignature(fragment), into);
    if (call.id === undefined && id !== undefined) {
      call.id = id;
      if (!this.#byId.has(id)) this.#byId.set(id, call);
    }
    if (call.name === undefined && name !== undefined) {
      this.#open(call, name, fragment.custom != null, into);
      write(call, call.input.text, into);
    }
    call.input.add(text);
    if (call.name !== undefined) write(call, text, into);
  }

  /** @throws HeadgateError `provider_failed` when a call has no name. */
  close(): void {
    for (const { name } of this.#calls) calledName(name);
  }

  #find(
    index: number | null | undefined,
    id: string | undefined,
    name: string | undefined,
    text: string,
  ): OpenCall {
    // One compatible provider numbers every call -1.
    const number = typeof index === 'number' && index >= 0 ? index : undefined;
    const known = number === undefined ? this.#findUnnumbered(id, name) : this.#byIndex.get(number);
    const hasAnotherId = id !== undefined && name !== undefined && known?.id !== undefined && known.id !== id;
    // A named fragment after complete arguments is a repetition, unless the name or the arguments differ.
    const bringsMore = text.trim() !== '' || name !== known?.name;
    const begins =
      hasAnotherId || (name !== undefined && bringsMore && known?.name !== undefined && known.input.isWhole);
    if (known !== undefined && !begins) return known;
    const call = {
      block: this.#nextBlock(),
      id: undefined,
      name: undefined,
      isCustom: false,
      input: new ArrivingObject(),
    };
    this.#calls.push(call);
    if (number !== undefined) this.#byIndex.set(number, call);
    return call;
  }

  /** The seal of a call stands before it, as thoughts do. */
  #sign(call: OpenCall, signature: string | undefined, into: Delta[]): void {
    if (signature === undefined) return;
    const { block } = call;
    call.block = this.#nextBlock();
    into.push({ kind: 'seal', block, format: callSignatureFormat, signature }, { kind: 'end', block });
  }

  #findUnnumbered(id: string | undefined, name: string | undefined): OpenCall | undefined {
    const last = this.#calls.at(-1);
    if (id !== undefined) return this.#byId.get(id) ?? (name === undefined ? last : undefined);
    if (name === undefined || last?.name === undefined) return last;
    // A name alone begins another call, unless it is repeated while the arguments are incomplete.
    return last.name === name && !last.input.isWhole ? last : undefined;
  }

  #open(call: OpenCall, name: string, custom: boolean, into: Delta[]): void {
    call.name = name;
    call.isCustom = custom;
    // Outputs of two calls with the same id could not be matched, so the later call gets an id of ours.
    const isFirst = call.id !== undefined && this.#byId.get(call.id) === call;
    const callId = isFirst ? call.id : undefined;
    into.push({ kind: 'call', block: call.block, form: custom ? 'custom' : 'function', name, callId });
  }
}

function write({ block }: OpenCall, text: string, into: Delta[]): void {
  if (text !== '') into.push({ kind: 'arguments', block, text });
}
