import type { JsonObject } from '../../util/json.ts';
import { textOf } from '../lenient.ts';
import type { Push } from './content-block.ts';
import { beginHostedCall, type HostedCall, type HostedCallStart } from './hosted-call.ts';

/** The hosted calls of one answer. Matches results with their calls, whichever block reports them. */
export class HostedCalls {
  readonly #calls = new Map<string, HostedCall>();
  readonly #push: Push;
  #container: string | undefined;

  constructor(push: Push) {
    this.#push = push;
  }

  /** The container in which code runs, once the provider reports it. */
  set container(container: string | undefined) {
    this.#container ??= container;
  }

  /** Begins a call; returns undefined for a tool without a public item or a call without an id. */
  begin(block: number, start: HostedCallStart): HostedCall | undefined {
    const id = textOf(start.id);
    if (id === undefined || this.#calls.has(id)) return undefined;
    const call = beginHostedCall(block, start, this.#push);
    if (call !== undefined) this.#calls.set(id, call);
    return call;
  }

  /** Hands a result to its call; results of unknown calls are ignored. */
  finish(result: JsonObject): void {
    const call = this.#calls.get(textOf(result.tool_use_id) ?? '');
    call?.take(result);
    if (call !== undefined && (!call.needsContainer || this.#container !== undefined)) {
      call.settle(this.#container);
    }
  }

  /** Settles every open call, because the answer is over. */
  end(): void {
    for (const call of this.#calls.values()) call.settle(this.#container);
  }
}
