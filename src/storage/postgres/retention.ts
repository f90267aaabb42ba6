import type { Clock } from '../../ports/clock.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { dayLength, utcDay } from '../../util/utc-windows.ts';
import { isLapsed } from '../sql/charge-columns.ts';
import type { SqlDatabase } from '../sql/database.ts';
import { rawSql, sql } from '../sql/statement.ts';
import { addToDailyUsage, countedColumns, dayOfCall } from './daily-usage.ts';

/** How long records of single calls are kept. */
export interface RetentionOptions {
  /** Whole UTC days before today. */
  readonly days: number;
  /** Milliseconds between two runs; about, so that processes do not all run at once. */
  readonly every?: number;
}

const hourly = 3_600_000;

/** Milliseconds of calls that one statement deletes, so that none holds anything up. */
const slice = 900_000;

/** Rows of `kept_calls`: from which day calls are kept, and before which they have been deleted. */
const keptFrom = 1;
const deletedBefore = 2;

const dayOf = rawSql(dayOfCall);
const lapsed = rawSql(isLapsed());
const counted = rawSql(countedColumns);
const joinSums = rawSql(addToDailyUsage('from deleted where lapsed'));

/** What retention needs of the books. */
export interface RetentionBooks {
  readonly db: SqlDatabase;
  /** What is due to expire is booked first: it is worked out from the calls around it. */
  readonly ledger: Pick<Ledger, 'expire'>;
  readonly clock: Clock;
}

/**
 * Deletes records of calls that are older than what is to be kept. Balances, windows, reports by day and the check of
 * the books need none of them: from then on the sums by day stand for them. Several processes may do this at once.
 */
export class Retention {
  readonly #books: RetentionBooks;
  readonly #options: RetentionOptions;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(books: RetentionBooks, options: RetentionOptions) {
    this.#books = books;
    this.#options = options;
    this.#runLater();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #runLater(): void {
    if (this.#closed) return;
    const delay = (this.#options.every ?? hourly) * (0.5 + Math.random());
    // One that fails is tried again: nothing was promised for this hour.
    this.#timer = setTimeout(() => {
      this.#run()
        .catch(() => undefined)
        .finally(() => this.#runLater());
    }, delay).unref();
  }

  async #run(): Promise<void> {
    const { db, ledger, clock } = this.#books;
    const end = utcDay(clock.now()) - this.#options.days;
    await ledger.expire();
    const start = await this.#firstDay();
    if (start === undefined || start >= end) return;
    // First, so that no check of the books misses what is deleted while it runs.
    await note(db, keptFrom, end);
    for (let day = start; day < end; day += 1) {
      for (let from = day * dayLength; from < (day + 1) * dayLength; from += slice) {
        if (this.#closed) return;
        await deleteCalls(db, from, from + slice);
      }
      await note(db, deletedBefore, day + 1);
    }
  }

  /** The first day that may have calls left; undefined when there never were any. */
  async #firstDay(): Promise<number | undefined> {
    const [row] = await this.#books.db.rows<{ readonly day: bigint | null }>(sql`
      select coalesce((select first_day from kept_calls where slot = ${deletedBefore}),
        least((select min(day) from daily_usage), (select min(${dayOf}) from generations where ${lapsed}))) as day`);
    return row?.day == null ? undefined : Number(row.day);
  }
}

/**
 * Deletes the calls settled between two moments. Until now a true charge could replace the lapsed ones, from now on
 * nothing does: they join the sums by day, which hold the others already. One replaced meanwhile is no lapsed one.
 */
async function deleteCalls(db: SqlDatabase, from: number, to: number): Promise<void> {
  await db.change(sql`
    with deleted as (
      delete from generations where settled_at >= ${from} and settled_at < ${to} returning ${counted}
    ) ${joinSums}`);
}

/** Stores a day. A later day that is already stored, also by another process, stays. */
async function note(db: SqlDatabase, slot: number, day: number): Promise<void> {
  await db.change(sql`
    insert into kept_calls (slot, first_day) values (${slot}, ${day}) on conflict (slot)
      do update set first_day = greatest(kept_calls.first_day, excluded.first_day)`);
}
