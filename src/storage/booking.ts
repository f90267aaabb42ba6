import type { ChargeWriter } from './charge-writer.ts';
import type { Outage } from './outage.ts';
import type { BatchBooking } from './queued-charges.ts';
import type { Spool } from './spool.ts';
import { type ByokCharge, byokLine, holdCharge, readByokLine, retryHeldCharges } from './sql/charge-line.ts';
import { DatabaseError, type SqlDatabase, unavailable } from './sql/database.ts';

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
   * Books charge lines. Resolves when they are durable in the database or in the spool.
   * @throws HeadgateError `service_unavailable` when they are in neither.
   */
  async commit(lines: readonly string[]): Promise<void> {
    await this.#bookOrSpool(
      () => this.#write(lines),
      () => lines,
    );
  }

  /**
   * Books charges with the fees their month requires and resolves with what each was charged. A charge that waits in the
   * spool, or that the database refused, has no fee yet: undefined stands for it, or for all. Throws like `commit`.
   */
  commitByok(charges: readonly ByokCharge[]): Promise<readonly (bigint | undefined)[] | undefined> {
    return this.#bookOrSpool(
      () => this.#writeByok(charges),
      () => charges.map(byokLine),
    );
  }

  /**
   * Books lines that waited, with or without terms.
   * @throws DatabaseError when the database does not accept them now.
   */
  async bookWaiting(lines: readonly string[]): Promise<void> {
    const { plain, byok } = sortLines(lines);
    if (plain.length > 0) await this.#write(plain);
    if (byok.length > 0) await this.#writeByok(byok);
    this.#outage.end();
  }

  /** Tries again to book the charges that the database refused earlier. Throws like `bookWaiting`. */
  retryHeld(): Promise<void> {
    return retryHeldCharges(this.#db, async (line) => {
      const { plain, byok } = sortLines([line]);
      const booked = await unlessRefused(() =>
        byok.length > 0 ? this.#writer.writeByok(byok) : this.#writer.write(plain.join('')).then(() => []),
      );
      return booked !== undefined;
    });
  }

  /** Looks no more whether the database is back. */
  close(): void {
    this.#outage.close();
  }

  async #bookOrSpool<Result>(
    book: () => Promise<Result>,
    lines: () => readonly string[],
  ): Promise<Result | undefined> {
    if (this.#outage.failure === undefined || this.#spool === undefined) {
      try {
        const result = await book();
        this.#outage.end();
        return result;
      } catch (error) {
        this.#outage.begin(error);
        if (this.#spool === undefined) throw unavailable(error);
      }
    }
    await this.#spool.append(lines());
    return undefined;
  }

  /** Halves a batch with a refused charge until that one is alone, and keeps it. */
  async #write(lines: readonly string[]): Promise<void> {
    const booked = await unlessRefused(() => this.#writer.write(lines.join('')).then(() => true));
    if (booked !== undefined) return;
    const [line = ''] = lines;
    if (lines.length === 1) return holdCharge(this.#db, line);
    const middle = lines.length >> 1;
    await this.#write(lines.slice(0, middle));
    await this.#write(lines.slice(middle));
  }

  /** Like `#write`, with what each was charged; undefined for one that is kept. */
  async #writeByok(charges: readonly ByokCharge[]): Promise<readonly (bigint | undefined)[]> {
    const amounts = await unlessRefused(() => this.#writer.writeByok(charges));
    if (amounts !== undefined) return amounts;
    const [charge] = charges;
    if (charges.length === 1 && charge !== undefined) {
      await holdCharge(this.#db, byokLine(charge));
      return [undefined];
    }
    const middle = charges.length >> 1;
    const first = await this.#writeByok(charges.slice(0, middle));
    return [...first, ...(await this.#writeByok(charges.slice(middle)))];
  }
}

/** The result, or undefined if the database refused a value. */
async function unlessRefused<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DatabaseError && error.byValue) return undefined;
    throw error;
  }
}

function sortLines(lines: readonly string[]): {
  readonly plain: readonly string[];
  readonly byok: readonly ByokCharge[];
} {
  const plain: string[] = [];
  const byok: ByokCharge[] = [];
  for (const line of lines) {
    const charge = readByokLine(line);
    if (charge === undefined) plain.push(line);
    else byok.push(charge);
  }
  return { plain, byok };
}
