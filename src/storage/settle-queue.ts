import { LoopLoad } from './loop-load.ts';
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

/** Milliseconds to gather in while the process has no time left: a transaction costs as much as thirty rows. */
const gatherTime = 3;

/** Load of the event loop from which it gathers at all, and from which it does so for the whole time. */
const busy = { from: 0.7, fully: 0.85 };

/**
 * Group commit (operations.md 6.2): what is asked for while a transaction runs is gathered and shares the
 * next one, and so the cost of its fsync. A process that has time books at the end of the turn. One that has none waits
 * for a turn with nothing else to do, at most 3 ms: its clients wait for its work anyway, which becomes less.
 */
export class SettleQueue<Charge = string> {
  readonly #commit: CommitBatch<Charge>;
  readonly #gather: () => Promise<unknown>;
  #waiting: Booking<Charge>[] = [];
  #draining: Promise<void> | undefined;

  /** @param gather Waits for company before each transaction. */
  constructor(commit: CommitBatch<Charge>, gather: () => Promise<unknown> = gatherWhenBusy()) {
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

function gatherWhenBusy(): () => Promise<void> {
  const load = new LoopLoad();
  return () => {
    const share = (load.value - busy.from) / (busy.fully - busy.from);
    return quietTurn(gatherTime * Math.min(1, Math.max(0, share)));
  };
}
