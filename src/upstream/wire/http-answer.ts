import type { Delta } from '../../core/delta.ts';
import type { AnswerBatches, UpstreamCall } from '../../ports/upstream.ts';
import type { Adapter } from '../adapter.ts';
import { authorize } from './authorize.ts';
import { Exchange } from './exchange.ts';
import { addressRequest } from './target.ts';
import type { Transport } from './transport.ts';

type Batch = readonly Delta[];

/**
 * The answer to one call, sent when its first batch is requested. An explicit iterator instead of a generator,
 * because every batch of every answer passes here and each `yield` costs turns of the microtask queue.
 */
export class HttpAnswer implements AnswerBatches {
  readonly #adapter: Adapter;
  readonly #call: UpstreamCall;
  readonly #transport: Transport;
  #exchange: Exchange | undefined;
  #left = false;

  constructor(adapter: Adapter, call: UpstreamCall, transport: Transport) {
    this.#adapter = adapter;
    this.#call = call;
    this.#transport = transport;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  get isOver(): boolean {
    return this.#exchange?.isOver === true;
  }

  next(): Promise<IteratorResult<Batch, undefined>> {
    if (this.#exchange !== undefined) return this.#exchange.batches.next();
    if (this.#left) return Promise.resolve({ done: true, value: undefined });
    return this.#begin();
  }

  return(): Promise<IteratorResult<Batch, undefined>> {
    this.#left = true;
    this.#exchange?.leave();
    return Promise.resolve({ done: true, value: undefined });
  }

  async #begin(): Promise<IteratorResult<Batch, undefined>> {
    const call = this.#call;
    // A call that fails before it is sent is not retried.
    this.#left = true;
    call.signal.throwIfAborted();
    const wire = this.#adapter.encode(call);
    const body = JSON.stringify(wire.body);
    const addressed = addressRequest(call.endpoint.provider, wire, body);
    call.onBody?.(JSON.parse(body));
    const authorized = authorize(this.#adapter, call, addressed);
    const request = authorized instanceof Promise ? await authorized : authorized;
    const exchange = new Exchange(this.#adapter, call, wire.streamed);
    this.#exchange = exchange;
    try {
      this.#transport.send(request, exchange);
    } catch (thrown) {
      exchange.leave();
      throw thrown;
    }
    return exchange.batches.next();
  }
}
