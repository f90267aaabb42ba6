import { join } from 'node:path';
import { heldFile, holdCharges, readHeldCharges } from '../journal/held-charges.ts';
import { Journal, type JournalOptions } from '../journal/journal.ts';
import { OtherJournals } from '../journal/other-journals.ts';
import { type JournalSource, readSource } from '../journal/read-source.ts';
import type { ByokCharge } from '../sql/byok-charge.ts';
import type { ChargeRow } from '../sql/charge-columns.ts';
import { throwUnavailable, unavailable } from '../sql/database-error.ts';
import type { ChargeWriter } from './charge-writer.ts';
import { byokLine, readByokLine } from './journaled-byok.ts';
import { Outage } from './outage.ts';
import { PostgresFailure } from './postgres-failure.ts';

/** The most charges of a journal that are written at once. */
const largestBatch = 1000;

/** Milliseconds between two looks whether the database is back. */
const probeDelay = 1000;

/** Where charges go while the database is away, and how the end of that is noticed. */
export interface BookingOptions {
  /** The directory of the journal; undefined: without one. */
  readonly directory: string | undefined;
  readonly journal: JournalOptions;
  /** Resolves when the database can be written to. */
  readonly probe: () => Promise<unknown>;
}

/**
 * How charges get into PostgreSQL: straight, and by the journal of this machine while the database is away (decision
 * 0018). A commit nobody knows the outcome of goes into the journal too; the id of a charge lets it count once.
 */
export class PostgresBooking {
  readonly #writer: ChargeWriter;
  readonly #outage: Outage;
  readonly #journal: Journal | undefined;
  readonly #others: OtherJournals | undefined;
  readonly #heldFile: string | undefined;
  #appended: Promise<unknown> = Promise.resolve();

  constructor(writer: ChargeWriter, { directory, journal, probe }: BookingOptions) {
    this.#writer = writer;
    this.#outage = new Outage(probe, journal.retryDelay ?? probeDelay);
    if (directory === undefined) return;
    const apply = (source: JournalSource) => this.#apply(source);
    const own = new Journal(directory, apply, journal);
    this.#journal = own;
    this.#others = new OtherJournals(directory, apply, () => own.owner, journal.onUnreadable);
    this.#heldFile = join(directory, heldFile);
  }

  /** Whether charges can be booked now: the database takes them, or the journal does. */
  get writable(): boolean {
    return this.#outage.failure === undefined || this.#journal?.hasRoom === true;
  }

  /** Whether the database takes what waits for it, as far as is known; one whose disk is full answers and takes nothing. */
  get arrives(): boolean {
    return this.#journal?.arrives !== false;
  }

  /** Why charges cannot be booked, or the database does not take them; undefined while all is well. */
  get failure(): unknown {
    return this.#journal?.failure ?? this.#outage.failure;
  }

  /** Why there would be no place for charges if the database went away now; undefined where there is, or is to be none. */
  get roomFailure(): unknown {
    return this.#journal?.roomFailure;
  }

  /** Charges of this process that the database has not got yet. */
  get waiting(): number {
    return this.#journal?.waiting ?? 0;
  }

  /**
   * Books charge lines. Resolves when they are durable in the database or on this machine.
   * @throws HeadgateError `service_unavailable` when they are in neither.
   */
  async commit(lines: readonly string[]): Promise<void> {
    await this.#straightOr(
      () => this.#write(lines),
      () => lines,
    );
  }

  /**
   * Books charges with the fees their month asks for and resolves with what each was charged. While the database is
   * away nobody knows the month: they are kept with their terms, their fees are due when it is back, and the result is
   * undefined, as that of a charge is which the database refuses and which is kept like any other. Throws like `commit`.
   */
  commitByok(charges: readonly ByokCharge[]): Promise<readonly (bigint | undefined)[] | undefined> {
    return this.#straightOr(
      () => this.#writeByok(charges),
      () => charges.map(byokLine),
    );
  }

  /** Resolves when the database has every charge that was promised before. */
  async catchUp(): Promise<void> {
    await this.#journal?.flush();
    await this.#others?.catchUp();
  }

  /** Charges that were promised but that the database refused. */
  held(): readonly ChargeRow[] {
    return this.#heldFile === undefined ? [] : readHeldCharges(this.#heldFile);
  }

  /** Hands over what is left; nothing may be committed any more. */
  async close(): Promise<void> {
    this.#outage.close();
    await this.#journal?.close();
  }

  async #straightOr<Result>(
    book: () => Promise<Result>,
    lines: () => readonly string[],
  ): Promise<Result | undefined> {
    if (this.#outage.failure === undefined) {
      try {
        return await book();
      } catch (error) {
        if (isByValue(error)) throw unavailable(error);
        this.#outage.begin(error);
      }
    }
    if (this.#journal === undefined) throw unavailable(this.#outage.failure);
    await this.#append(this.#journal, lines());
    return undefined;
  }

  /** A journal takes one write after the other. */
  async #append(journal: Journal, lines: readonly string[]): Promise<void> {
    const appending = this.#appended.then(() => journal.append(lines));
    this.#appended = appending.catch(() => undefined);
    await appending.catch(throwUnavailable);
  }

  async #apply(source: JournalSource): Promise<number> {
    const { texts, end } = readSource(source);
    const lines = texts.flatMap((text) => text.split(/(?<=\n)/));
    for (let start = 0; start < lines.length; start += largestBatch) {
      await this.#write(lines.slice(start, start + largestBatch), source.file);
    }
    if (lines.length > 0) this.#outage.end();
    return end;
  }

  /** Charges were promised, or their providers paid: one that the database refuses is kept and holds up nobody else. */
  async #write(lines: readonly string[], from?: string | number): Promise<void> {
    try {
      await this.#book(lines);
    } catch (error) {
      if (!isByValue(error) || this.#heldFile === undefined) throw error;
      const refused: string[] = [];
      for (const line of lines) if (!(await this.#isTaken(line))) refused.push(line);
      if (refused.length > 0 && from !== this.#heldFile) holdCharges(this.#heldFile, refused);
    }
  }

  /** As `#write`, with what each was charged. */
  async #writeByok(charges: readonly ByokCharge[]): Promise<readonly (bigint | undefined)[]> {
    try {
      return await this.#writer.writeByok(charges);
    } catch (error) {
      if (!isByValue(error) || this.#heldFile === undefined) throw error;
      const amounts: (bigint | undefined)[] = [];
      for (const charge of charges) amounts.push(await this.#chargedAlone(charge));
      const refused = charges.filter((_, index) => amounts[index] === undefined);
      if (refused.length > 0) holdCharges(this.#heldFile, refused.map(byokLine));
      return amounts;
    }
  }

  async #chargedAlone(charge: ByokCharge): Promise<bigint | undefined> {
    try {
      return (await this.#writer.writeByok([charge]))[0];
    } catch (error) {
      if (!isByValue(error)) throw error;
      return undefined;
    }
  }

  async #isTaken(line: string): Promise<boolean> {
    try {
      await this.#book([line]);
      return true;
    } catch (error) {
      if (!isByValue(error)) throw error;
      return false;
    }
  }

  async #book(lines: readonly string[]): Promise<void> {
    let plain = '';
    const byok: ByokCharge[] = [];
    for (const line of lines) {
      const charge = readByokLine(line);
      if (charge === undefined) plain += line;
      else byok.push(charge);
    }
    if (plain !== '') await this.#writer.write(plain);
    if (byok.length > 0) await this.#writer.writeByok(byok);
  }
}

function isByValue(error: unknown): boolean {
  return error instanceof PostgresFailure && error.byValue;
}
