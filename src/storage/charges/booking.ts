import type { Outage } from '../outage.ts';
import { type Charge, readWaitingLine } from '../sql/charge-columns.ts';
import { DatabaseError, type SqlDatabase, unavailable } from '../sql/database.ts';
import { holdCharge, retryHeldCharges, waitingLine } from './charge.ts';
import type { BatchBooking } from './queue.ts';
import type { Spool } from './spool.ts';
import type { Amounts, ChargeWriter } from './writer.ts';

/** What books charges. */
export interface BookingParts {
  readonly writer: ChargeWriter;
  /** Where charges are kept that the database refuses. */
  readonly db: SqlDatabase;
  readonly outage: Outage;
  /** Where charges wait while the database is away; undefined: none is accepted then. */
  readonly spool?: Spool | undefined;
}

/**
 * Books charges in the database. A charge whose values the database refuses is kept in a table of its own, because its
 * answer is complete or its provider paid; it does not stop the charges beside it. While the database is away charges go
 * to the spool, if there is one. So do charges of a commit with an unknown outcome: the id of a charge lets it count once.
 */
export class Booking implements BatchBooking {
  readonly #writer: ChargeWriter;
  readonly #db: SqlDatabase;
  readonly #outage: Outage;
  readonly #spool: Spool | undefined;

  constructor({ writer, db, outage, spool }: BookingParts) {
    this.#writer = writer;
    this.#db = db;
    this.#outage = outage;
    this.#spool = spool;
  }

  /** Whether charges can be booked now: the database accepts them, or the spool does. */
  get writable(): boolean {
    return (
      this.#outage.failure === undefined ||
      (this.#spool !== undefined && this.#spool.roomFailure === undefined)
    );
  }

  /** Why charges cannot be booked, or wait in the spool; undefined while all is well. */
  get failure(): unknown {
    return this.#spool?.roomFailure ?? this.#spool?.failure ?? this.#outage.failure;
  }

  /**
   * Books charges. Resolves when they are durable in the database or in the spool, with what they were charged: one that
   * waits in the spool, or that the database refused, has no fee yet.
   * @throws HeadgateError `service_unavailable` when they are in neither.
   */
  async commit(charges: readonly Charge[]): Promise<Amounts> {
    if (this.#outage.failure === undefined || this.#spool === undefined) {
      try {
        const amounts = await this.#write(charges);
        this.#outage.end();
        return amounts;
      } catch (error) {
        this.#outage.begin(error);
        if (this.#spool === undefined) throw unavailable(error);
      }
    }
    await this.#spool.append(charges.map(waitingLine));
    return undefined;
  }

  /**
   * Books lines that waited.
   * @throws DatabaseError when the database does not accept them now.
   */
  async bookWaiting(lines: readonly string[]): Promise<void> {
    await this.#write(lines.map(readWaitingLine));
    this.#outage.end();
  }

  /** Tries again to book the charges that the database refused earlier. Throws like `bookWaiting`. */
  retryHeld(): Promise<void> {
    return retryHeldCharges(this.#db, (line) => this.#isTaken([readWaitingLine(line)]));
  }

  /** Looks no more whether the database is back. */
  close(): void {
    this.#outage.close();
  }

  #isTaken(charges: readonly Charge[]): Promise<boolean> {
    return unlessRefused(() => this.#writer.write(charges, true)).then((result) => result !== refused);
  }

  /** Halves a batch with a refused charge until that one is alone, and keeps it. */
  async #write(charges: readonly Charge[]): Promise<Amounts> {
    const amounts = await unlessRefused(() => this.#writer.write(charges));
    if (amounts !== refused) return amounts;
    const [charge] = charges;
    if (charges.length === 1 && charge !== undefined) {
      await holdCharge(this.#db, waitingLine(charge));
      return undefined;
    }
    const middle = charges.length >> 1;
    const halves = [charges.slice(0, middle), charges.slice(middle)];
    const all: (bigint | undefined)[] = [];
    for (const half of halves) {
      const booked = await this.#write(half);
      for (const index of half.keys()) all.push(booked?.[index]);
    }
    return all;
  }
}

const refused = Symbol('refused');

/** The result, or `refused` if the database refused a value. */
async function unlessRefused<Result>(work: () => Promise<Result>): Promise<Result | typeof refused> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DatabaseError && error.byValue) return refused;
    throw error;
  }
}
