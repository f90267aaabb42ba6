import { quietTurn } from './quiet-turn.ts';

/** Books charges together; resolves when they are durable, rejects when none of them was booked. */
export type CommitBatch<Charge = string> = (charges: readonly Charge[]) => Promise<unknown>;

interface Booking<Charge> {
  readonly charge: Charge;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** Bounds how long one commit keeps others waiting. */
const largestBatch = 1000;

/** Milliseconds to gather in while the process is busy: a transaction costs as much as thirty rows. */
const gatherTime = 3;

/**
 * Group commit (operations.md 6.2): what is asked for while a transaction runs is gathered and shares the
 * next one, and so the cost of its fsync. Bookings also wait for a moment in which the process has nothing else
 * to do, at most 3 ms: an idle process books at once, a busy one, whose clients wait for its work anyway, makes
 * fewer and larger transactions.
 */
export class SettleQueue<Charge = string> {
  readonly #commit: CommitBatch<Charge>;
  readonly #gather: () => Promise<unknown>;
  #waiting: Booking<Charge>[] = [];
  #draining: Promise<void> | undefined;

  /** @param gather Waits for company before each transaction. */
  constructor(commit: CommitBatch<Charge>, gather: () => Promise<unknown> = () => quietTurn(gatherTime)) {
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
