import { join } from 'node:path';
import { heldFile, holdCharges, readHeldCharges } from '../journal/held-charges.ts';
import { Journal, type JournalOptions } from '../journal/journal.ts';
import { OtherJournals } from '../journal/other-journals.ts';
import { type JournalSource, readSource } from '../journal/read-source.ts';
import type { ChargeRow } from '../sql/charge-columns.ts';
import { unavailable } from '../sql/database-error.ts';
import type { ChargeWriter } from './charge-writer.ts';
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

  constructor(writer: ChargeWriter, { directory, journal, probe }: BookingOptions) {
    this.#writer = writer;
    this.#outage = new Outage(probe, journal.retryDelay ?? probeDelay);
    if (directory === undefined) return;
    const apply = (source: JournalSource) => this.#apply(source);
    const own = new Journal(directory, apply, journal);
    this.#journal = own;
    this.#others = new OtherJournals(directory, apply, () => own.owner);
    this.#heldFile = join(directory, heldFile);
  }

  /** Whether charges can be booked now: the database takes them, or the journal does. */
  get writable(): boolean {
    return this.#outage.failure === undefined || this.#journal?.hasRoom === true;
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
    if (this.#outage.failure === undefined) {
      try {
        await this.#write(lines);
        return;
      } catch (error) {
        if (isByValue(error)) throw unavailable(error);
        this.#outage.begin(error);
      }
    }
    const failure = this.#outage.failure;
    if (this.#journal === undefined) throw unavailable(failure);
    await this.#journal.append(lines).catch((error: unknown) => {
      throw unavailable(error);
    });
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
      await this.#writer.write(lines.join(''));
    } catch (error) {
      if (!isByValue(error) || this.#heldFile === undefined) throw error;
      const refused: string[] = [];
      for (const line of lines) if (!(await this.#isTaken(line))) refused.push(line);
      if (refused.length > 0 && from !== this.#heldFile) holdCharges(this.#heldFile, refused);
    }
  }

  async #isTaken(line: string): Promise<boolean> {
    try {
      await this.#writer.write(line);
      return true;
    } catch (error) {
      if (!isByValue(error)) throw error;
      return false;
    }
  }
}

function isByValue(error: unknown): boolean {
  return error instanceof PostgresFailure && error.byValue;
}
