import type { Delta } from '../../core/delta.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { JsonObject } from '../../util/json.ts';
import type { Counting, Decoder } from '../adapter.ts';

/** Reads the answer to a request for the size of an input. */
export class CountDecoder implements Decoder {
  readonly #counting: Counting;
  finished = false;

  constructor(counting: Counting) {
    this.#counting = counting;
  }

  decode(): void {
    throw new HeadgateError('provider_failed', 'The provider streamed a count.');
  }

  close(): void {
    throw new HeadgateError('provider_failed', 'The provider sent no count.');
  }

  decodeWhole(answer: JsonObject, into: Delta[]): void {
    const uncachedInput = this.#counting.read(answer);
    if (!Number.isInteger(uncachedInput)) this.close();
    into.push({ kind: 'usage', usage: { uncachedInput } }, { kind: 'finish', reason: 'stop' });
    this.finished = true;
  }
}
