import { loopLoad } from '../util/loop-load.ts';
import { quietTurn } from './quiet-turn.ts';

/** Books charges together. Resolves when they are durable; rejects when none of them was booked. */
export type CommitBatch<Charge = string> = (charges: readonly Charge[]) => Promise<unknown>;

interface Booking<Charge> {
  readonly charge: Charge;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** The most charges of one commit, which limits how long it keeps others waiting. */
const largestBatch = 1000;

/** Milliseconds to gather charges when the event loop is fully busy: a transaction costs as much as thirty rows. */
const gatherTime = 8;

/**
 * Group commit (docs/spec/operations.md#durable-before-visible): charges that arrive while a transaction runs share the
 * next one, and so the cost of its fsync. The next transaction starts as soon as the last one is done. A process with
 * little to do books at the end of the turn of the event loop. A busy one first waits for a turn with nothing else to
 * do, at most 8 ms: fewer transactions leave more time for the requests its clients wait for.
 */
export class SettleQueue<Charge = string> {
  readonly #commit: CommitBatch<Charge>;
  readonly #gather: () => Promise<unknown>;
  #waiting: Booking<Charge>[] = [];
  #draining: Promise<void> | undefined;

  /** @param gather Waits for company before each transaction. */
  constructor(commit: CommitBatch<Charge>, gather: () => Promise<unknown> = gatherWhenBusy) {
    this.#commit = commit;
    this.#gather = gather;
  }

  /** Resolves when the charge is durable; rejects like the batch that carried it. */
  add(charge: Charge): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ charge, resolve, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Resolves when nothing waits any more, whatever came of it. */
  async idle(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gather();
      await this.#book(this.#waiting.splice(0, largestBatch));
    }
    this.#draining = undefined;
  }

  async #book(batch: readonly Booking<Charge>[]): Promise<void> {
    try {
      await this.#commit(batch.map((booking) => booking.charge));
      for (const booking of batch) booking.resolve();
    } catch (error) {
      for (const booking of batch) booking.reject(error);
    }
  }
}

function gatherWhenBusy(): Promise<void> {
  return quietTurn(gatherTime * loopLoad.pressure);
}
