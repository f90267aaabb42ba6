import { basename, dirname, join } from 'node:path';
import { heldFile, readHeldCharges } from '../journal/held-charges.ts';
import { Journal, type JournalOptions } from '../journal/journal.ts';
import { OtherJournals } from '../journal/other-journals.ts';
import type { JournalSource } from '../journal/read-source.ts';
import type { CommitBatch } from '../settle-queue.ts';
import type { ChargeRow } from '../sql/charge-columns.ts';
import type { ThreadClient } from './thread-client.ts';

/** How charges get into a SQLite database. */
export interface Booking {
  readonly commit: CommitBatch;
  /** Whether charges can be booked now. */
  readonly writable: boolean;
  /** Why they cannot. */
  readonly failure: unknown;
  /** Charges that are durable but not in the database yet. */
  readonly waiting: number;
  /** Resolves when the database has every charge that was promised before. */
  catchUp(): Promise<void>;
  /** Charges that were promised but that the database refused. */
  held(): readonly ChargeRow[];
  /** Hands over what is left; nothing may be committed any more. */
  close(): Promise<void>;
}

/** Books every batch in a transaction of its own: for a database in memory. */
export function directBooking(writer: ThreadClient): Booking {
  return {
    commit: (lines) => writer.send({ kind: 'settle', charges: lines.join('') }),
    writable: true,
    failure: undefined,
    waiting: 0,
    catchUp: () => Promise.resolve(),
    held: () => [],
    close: () => Promise.resolve(),
  };
}

/** Where the journal of a database file lies. */
export function journalDirectory(file: string): string {
  // SQLite itself uses the file's name followed by "-journal".
  return join(dirname(file), `${basename(file)}-charges`);
}

/** Writes every batch to a journal beside the database file, which gets it a moment later (decision 0008). */
export function journaledBooking(directory: string, writer: ThreadClient, options: JournalOptions): Booking {
  const apply = async (source: JournalSource) => Number(await writer.send({ kind: 'apply', source }));
  const journal = new Journal(directory, apply, options);
  const others = new OtherJournals(directory, apply, () => journal.owner, options.onUnreadable);
  return {
    commit: (lines) => journal.append(lines),
    get writable() {
      return journal.writable;
    },
    get failure() {
      return journal.failure;
    },
    get waiting() {
      return journal.waiting;
    },
    catchUp: async () => {
      await journal.flush();
      await others.catchUp();
    },
    held: () => readHeldCharges(join(directory, heldFile)),
    close: () => journal.close(),
  };
}
