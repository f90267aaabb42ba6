import { contradictory, memberPath, quote } from '../../schema/fault.ts';

type Form = 'function' | 'custom';

interface OpenCall {
  readonly callId: string;
  readonly path: string;
  readonly position: number;
}

/**
 * Ties the outputs of tools to their calls (docs/spec/items.md#pairing, docs/spec/errors.md#400-or-422): an output
 * needs an earlier call with its `call_id`; a call needs an output unless it is asynchronous or only calls and outputs follow.
 */
export class CallPairing {
  readonly #calls = new Set<string>();
  readonly #open = new Map<string, OpenCall>();
  #position = 0;
  #lastOther = 0;

  /** A call; one that may wait needs no output. */
  call(form: Form, callId: string, path: string, mayWait: boolean): void {
    this.#position++;
    const key = form + callId;
    this.#calls.add(key);
    if (!mayWait) this.#open.set(key, { callId, path, position: this.#position });
  }

  /** Whether a call came before. */
  has(form: Form, callId: string): boolean {
    return this.#calls.has(form + callId);
  }

  /** An output. @throws HeadgateError `unprocessable` when no call of the same form came before. */
  output(form: Form, callId: string, path: string): void {
    const key = form + callId;
    if (!this.#calls.has(key)) {
      const place = memberPath(path, 'call_id');
      throw contradictory(place, `no earlier ${form} call has the call_id ${quote(callId)}`);
    }
    this.#open.delete(key);
    this.#position++;
  }

  /** Anything else that is said, after which no output of an earlier call is still to come. */
  other(): void {
    this.#lastOther = ++this.#position;
  }

  /** The end of the input. @throws HeadgateError `unprocessable` when a call was left without output. */
  finish(): void {
    for (const { callId, path, position } of this.#open.values()) {
      if (position > this.#lastOther) continue;
      throw contradictory(
        memberPath(path, 'call_id'),
        `the call ${quote(callId)} has no output; send one, or end the input with the call`,
      );
    }
  }
}
