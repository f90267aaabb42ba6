import type { Delta } from '../../../core/delta.ts';
import { createId } from '../../../core/ids.ts';
import { ArrivingObject } from '../../../util/arriving-object.ts';
import { isObject, parseJson } from '../../../util/json.ts';
import type { BlockSink, BlockWriter } from './block-writer.ts';
import type { Block } from './message.ts';

type Call = Extract<Delta, { kind: 'call' }>;

/** A call of a client's tool, with its arguments as they are written. */
export class CallWriter implements BlockWriter {
  readonly block: number;
  ended = false;
  readonly #sink: BlockSink;
  readonly #head: { readonly type: 'tool_use'; readonly id: string; readonly name: string };
  readonly #input = new ArrivingObject();

  constructor({ block, callId, name }: Call, sink: BlockSink) {
    this.block = block;
    this.#sink = sink;
    this.#head = { type: 'tool_use', id: callId ?? createId('toolu_'), name };
    sink.start({ ...this.#head, input: {}, caller: { type: 'direct' } });
  }

  /** Some dialects never say that a call is over: it gives way once its arguments are a whole object. */
  get yields(): boolean {
    return this.ended || this.#input.isWhole;
  }

  takes({ kind }: Delta): boolean {
    return kind === 'arguments';
  }

  write(delta: Delta): void {
    if (delta.kind === 'arguments') this.#append(delta.text);
  }

  close(): readonly Block[] {
    if (this.#input.text.trim() === '') this.#append('{}');
    this.#sink.stop();
    const { text } = this.#input;
    const value = parseJson(text);
    const input = isObject(value) ? value : { _raw_arguments: text };
    return [{ ...this.#head, input, caller: { type: 'direct' } }];
  }

  #append(text: string): void {
    if (text === '') return;
    this.#input.add(text);
    this.#sink.delta({ type: 'input_json_delta', partial_json: text });
  }
}
