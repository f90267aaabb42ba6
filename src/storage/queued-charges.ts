import type { ByokTerms } from '../core/byok-fee.ts';
import { HeadgateError } from '../core/errors.ts';
import { type NanoUsd, nanoFromInteger } from '../core/money.ts';
import type { Generation } from '../ports/generations.ts';
import { SettleQueue } from './settle-queue.ts';
import type { ByokCharge } from './sql/byok-charge.ts';
import { chargeLine } from './sql/charge-line.ts';
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
