import type { Delta } from '../../core/delta.ts';

/**
 * Takes the ids of calls from an answer that had them before: outputs of two calls with one id could not be told apart, so the
 * later call gets an id of ours, like one that came without.
 */
export class DistinctCalls {
  #ids: Set<string> | undefined;

  /** Settles the deltas of a batch. */
  settle(batch: Delta[]): void {
    for (let at = 0; at < batch.length; at += 1) {
      const delta = batch[at];
      if (delta?.kind !== 'call' || delta.callId === undefined) continue;
      this.#ids ??= new Set();
      if (this.#ids.has(delta.callId)) batch[at] = { ...delta, callId: undefined };
      else this.#ids.add(delta.callId);
    }
  }
}
