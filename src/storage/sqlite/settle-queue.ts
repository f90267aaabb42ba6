import { setTimeout as sleep } from 'node:timers/promises';

/** Books charges together; resolves when they are durable, rejects when none of them was booked. */
export type CommitBatch<Charge = string> = (charges: readonly Charge[]) => Promise<unknown>;

interface Booking<Charge> {
  readonly charge: Charge;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** Bounds how long one commit keeps others waiting. */
const largestBatch = 1000;

/** Milliseconds to gather in while bookings keep coming: a transaction costs as much as thirty rows. */
const gatherTime = 1;

/**
 * Group commit (operations.md 6.2): what is asked for while a transaction runs is gathered and shares the
 * next one, and so the cost of its fsync. A lone booking never waits; those that found a transaction running
 * wait for its end and a millisecond more, so that busy times make fewer and larger transactions.
 */
export class SettleQueue<Charge = string> {
  readonly #commit: CommitBatch<Charge>;
  readonly #gather: () => Promise<unknown>;
  #waiting: Booking<Charge>[] = [];
  #draining: Promise<void> | undefined;

  /** @param gather Waits for more bookings between two transactions. */
  constructor(commit: CommitBatch<Charge>, gather: () => Promise<unknown> = () => sleep(gatherTime)) {
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
    // One turn of the microtask queue lets calls made in the same breath share the first transaction.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      await this.#book(this.#waiting.splice(0, largestBatch));
      if (this.#waiting.length > 0) await this.#gather();
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
