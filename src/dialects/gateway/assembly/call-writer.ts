import type { Delta } from '../../../core/delta.ts';
import { createId } from '../../../core/ids.ts';
import { ArrivingObject } from '../../../util/arriving-object.ts';
import type { ClosedStatus, Emit, ItemPlace, ItemWriter } from './item-writer.ts';
import type { ItemStatus, OutputCustomCall, OutputFunctionCall } from './response.ts';
import type { WorkerItem } from './worker-items.ts';

type CallDelta = Extract<Delta, { kind: 'call' }>;

/** The worker that made a call, and what it wrote. */
export interface CallingWorker {
  readonly id: string;
  readonly items: readonly WorkerItem[] | undefined;
}

/** A call of a client's tool: its arguments as they are written (docs/spec/answers.md#events-of-items). */
export class CallWriter implements ItemWriter {
  readonly block: number;
  ended = false;
  readonly #emit: Emit;
  readonly #place: ItemPlace;
  readonly #call: CallDelta;
  readonly #callId: string;
  readonly #async: boolean;
  readonly #worker: CallingWorker | undefined;
  readonly #input = new ArrivingObject();

  /** @param worker Undefined where the model itself made the call. */
  constructor(call: CallDelta, outputIndex: number, isAsync: boolean, emit: Emit, worker?: CallingWorker) {
    this.block = call.block;
    this.#call = call;
    this.#callId = call.callId ?? createId('call_');
    this.#async = isAsync;
    this.#worker = worker;
    this.#emit = emit;
    const prefix = call.form === 'function' ? 'fc_' : 'ctc_';
    this.#place = { item_id: createId(prefix), output_index: outputIndex };
    emit({
      type: 'response.output_item.added',
      output_index: outputIndex,
      item: this.#item('in_progress', ''),
    });
  }

  /**
   * Some dialects never say that a call is over, and some interleave several: a function call gives way
   * once its arguments are a whole JSON value. Free text never is by itself, so it waits for the answer's end.
   */
  get yields(): boolean {
    return this.ended || (this.#call.form === 'function' && this.#input.isWhole);
  }

  get outputIndex(): number {
    return this.#place.output_index;
  }

  takes(delta: Delta): boolean {
    return delta.kind === 'arguments';
  }

  write(delta: Delta): void {
    if (delta.kind === 'arguments' && delta.text !== '') this.#append(delta.text);
  }

  close(status: ClosedStatus): OutputFunctionCall | OutputCustomCall {
    if (status === 'completed' && this.#call.form === 'function' && this.#input.text.trim() === '')
      this.#append('{}');
    if (this.#call.form === 'function') {
      const { name } = this.#call;
      this.#emit({
        type: 'response.function_call_arguments.done',
        ...this.#place,
        name,
        arguments: this.#input.text,
      });
    } else {
      this.#emit({ type: 'response.custom_tool_call_input.done', ...this.#place, input: this.#input.text });
    }
    const item = this.#item(status, this.#input.text);
    this.#emit({ type: 'response.output_item.done', output_index: this.#place.output_index, item });
    return item;
  }

  abandon(): OutputFunctionCall | OutputCustomCall {
    return this.#item('incomplete', this.#input.text);
  }

  #append(text: string): void {
    this.#input.add(text);
    const { item_id, output_index } = this.#place;
    const type =
      this.#call.form === 'function'
        ? 'response.function_call_arguments.delta'
        : 'response.custom_tool_call_input.delta';
    this.#emit({ type, item_id, output_index, delta: text });
  }

  #item(status: ItemStatus, input: string): OutputFunctionCall | OutputCustomCall {
    const common = { id: this.#place.item_id, call_id: this.#callId, name: this.#call.name };
    const item: OutputFunctionCall | OutputCustomCall =
      this.#call.form === 'function'
        ? { type: 'function_call', ...common, arguments: input, status }
        : { type: 'custom_tool_call', ...common, input, status };
    if (this.#call.namespace !== undefined) item.namespace = this.#call.namespace;
    if (this.#async) item.async = true;
    if (this.#worker !== undefined && item.type === 'function_call') {
      item.subagent_id = this.#worker.id;
      if (status === 'completed' && this.#worker.items !== undefined)
        item.subagent_items = this.#worker.items;
    }
    return item;
  }
}
