import type { ByokTerms } from '../core/byok-fee.ts';
import { HeadgateError } from '../core/errors.ts';
import { type NanoUsd, nanoFromInteger } from '../core/money.ts';
import type { Generation } from '../ports/generations.ts';
import { loopLoad } from '../waiting/loop-load.ts';
import { type ByokCharge, chargeLine } from './sql/charge-line.ts';
import type { ChargeBooking } from './sql/ledger.ts';

/** How an engine books many charges together; each call resolves when they are durable. */
export interface BatchBooking {
  commit(lines: readonly string[]): Promise<unknown>;
  /** Resolves with what each was charged, or undefined where their fees, or the fee of one, are decided later. */
  commitByok(charges: readonly ByokCharge[]): Promise<readonly (bigint | undefined)[] | undefined>;
}

/** A charge on its way, and what became of it. */
interface ByokBooking extends ByokCharge {
  charge: bigint;
}

/** Charges one by one, booked together. */
export class QueuedCharges implements ChargeBooking {
  readonly #queue: SettleQueue;
  readonly #byokQueue: SettleQueue<ByokBooking>;
  #closed = false;

  constructor(booking: BatchBooking) {
    this.#queue = new SettleQueue((lines) => booking.commit(lines));
    this.#byokQueue = new SettleQueue<ByokBooking>(async (bookings) => {
      const charges = bookings.map(({ line, terms }) => ({ line, terms }));
      const amounts = await booking.commitByok(charges);
      for (const [index, one] of bookings.entries()) one.charge = amounts?.[index] ?? one.charge;
    });
  }

  async settle(generation: Generation): Promise<void> {
    this.#requireOpen();
    await this.#queue.add(chargeLine(generation));
  }

  async settleByok(generation: Generation, terms: ByokTerms): Promise<NanoUsd> {
    this.#requireOpen();
    const one: ByokBooking = { line: chargeLine(generation), terms, charge: generation.cost };
    await this.#byokQueue.add(one);
    return nanoFromInteger(one.charge);
  }

  /** Takes no more charges and waits for those that were taken. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#queue.idle();
    await this.#byokQueue.idle();
  }

  #requireOpen(): void {
    if (this.#closed) throw new HeadgateError('service_unavailable', 'The storage is closed.');
  }
}

/** Books charges together. Resolves when they are durable; rejects when none of them was booked. */
type CommitBatch<Charge = string> = (charges: readonly Charge[]) => Promise<unknown>;

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
  return waitUntilIdle(gatherTime * loopLoad.pressure);
}

/** Milliseconds below which a turn of the event loop did nothing but look whether there is work. */
const quiet = 0.05;

/**
 * Resolves after the first turn of the event loop in which the process had nothing else to do.
 * @param limit Milliseconds after which it resolves however busy the process is.
 */
export function waitUntilIdle(limit: number): Promise<void> {
  return new Promise((resolve) => {
    let turnBegan = performance.now();
    const end = turnBegan + limit;
    const look = () => {
      const now = performance.now();
      if (now - turnBegan < quiet || now >= end) {
        resolve();
        return;
      }
      turnBegan = now;
      setImmediate(look);
    };
    setImmediate(look);
  });
}
