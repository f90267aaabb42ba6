import type { Delta } from '../../core/delta.ts';
import { HeadgateError } from '../../core/errors.ts';
import { isObject, parseJson, textOf } from '../lenient.ts';
import { TextInputUnwrapper } from '../text-input-unwrapper.ts';
import type { CallFragment } from './chunk.ts';

/** A call being put together. */
interface OpenCall {
  readonly block: number;
  id: string | undefined;
  name: string | undefined;
  /** All arguments so far, as they came. */
  text: string;
  /** Set while a function plays a custom tool. */
  unwrapper: TextInputUnwrapper | undefined;
}

/**
 * Puts tool calls together from fragments. The dialect numbers calls and names each in its first fragment;
 * the look-alikes repeat ids and names, leave numbers out, give all calls the same number, send a call in
 * one piece, or its arguments as an object.
 */
export class CallDecoder {
  readonly #firstBlock: number;
  readonly #emulated: ReadonlySet<string>;
  readonly #calls: OpenCall[] = [];
  readonly #byIndex = new Map<number, OpenCall>();

  /**
   * @param firstBlock block number of the first call; later ones count up from it.
   * @param emulated names of custom tools that functions play.
   */
  constructor(firstBlock: number, emulated: ReadonlySet<string>) {
    this.#firstBlock = firstBlock;
    this.#emulated = emulated;
  }

  /** Whether any call was made. */
  get any(): boolean {
    return this.#calls.length > 0;
  }

  /** Reads one fragment and appends what it says. */
  decode(fragment: CallFragment, into: Delta[]): void {
    const id = textOf(fragment.id);
    const name = textOf(fragment.function?.name) ?? textOf(fragment.custom?.name);
    const call = this.#find(fragment.index, id, name);
    call.id ??= id;
    if (call.name === undefined && name !== undefined) {
      this.#open(call, name, fragment.custom != null, into);
      this.#write(call, call.text, into);
    }
    const text = argumentText(fragment.custom ? fragment.custom.input : fragment.function?.arguments);
    call.text += text;
    if (call.name !== undefined) this.#write(call, text, into);
  }

  /** @throws HeadgateError `provider_failed` when a call never got its name. */
  close(): void {
    if (this.#calls.every((call) => call.name !== undefined)) return;
    throw new HeadgateError('provider_failed', 'The provider sent a tool call without a name.');
  }

  #find(index: number | null | undefined, id: string | undefined, name: string | undefined): OpenCall {
    const known = typeof index === 'number' ? this.#byIndex.get(index) : this.#findUnnumbered(id, name);
    const isAnother = id !== undefined && name !== undefined && known?.id !== undefined && known.id !== id;
    if (known !== undefined && !isAnother) return known;
    const call = {
      block: this.#firstBlock + this.#calls.length,
      id,
      name: undefined,
      text: '',
      unwrapper: undefined,
    };
    this.#calls.push(call);
    if (typeof index === 'number') this.#byIndex.set(index, call);
    return call;
  }

  #findUnnumbered(id: string | undefined, name: string | undefined): OpenCall | undefined {
    const last = this.#calls.at(-1);
    if (id !== undefined)
      return this.#calls.find((call) => call.id === id) ?? (name === undefined ? last : undefined);
    if (name === undefined || last?.name === undefined) return last;
    // The name alone begins another call, unless it is only repeated while the arguments go on.
    return last.name === name && parseJson(last.text) === undefined ? last : undefined;
  }

  #open(call: OpenCall, name: string, custom: boolean, into: Delta[]): void {
    call.name = name;
    if (!custom && this.#emulated.has(name)) call.unwrapper = new TextInputUnwrapper();
    const form = custom || call.unwrapper ? 'custom' : 'function';
    into.push({ kind: 'call', block: call.block, form, name, callId: call.id });
  }

  #write(call: OpenCall, text: string, into: Delta[]): void {
    const written = call.unwrapper ? call.unwrapper.push(text) : text;
    if (written !== '') into.push({ kind: 'arguments', block: call.block, text: written });
  }
}

function argumentText(value: unknown): string {
  if (typeof value === 'string') return value;
  return isObject(value) ? JSON.stringify(value) : '';
}
