import {
  type CalendarChange,
  type CalendarRule,
  LimitCalendar,
  type LimitWindows,
  usualRule,
  type weekdays,
} from '../../core/limit-calendar.ts';
import type { LimitCalendarStore } from '../../ports/limit-calendar.ts';
import { dayLength } from '../../util/utc-windows.ts';
import type { SqlConnection, SqlDatabase } from './database.ts';
import { sql } from './statement.ts';
import { quarterLength } from './values.ts';

interface RuleRow {
  readonly number: bigint;
  readonly since: bigint;
  readonly time_zone: string;
  readonly week_start: (typeof weekdays)[number];
}

/** Days that sums by quarter of an hour are kept: longer than any window. */
const keptQuarters = 40;
/** Days after which a rule that was replaced concerns no window. */
const keptRules = 100;
/** Keys whose sums are forgotten at once, so that no charge waits long. */
const keysAtOnce = 200;

/** The windows of limits in any SQL engine (docs/spec/accounts.md#windows). */
export class SqlLimitCalendar implements LimitCalendarStore {
  readonly #db: SqlDatabase;
  #calendar = new LimitCalendar();

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  get changes(): readonly CalendarChange[] {
    return this.#calendar.changes;
  }

  windowsAt(moment: number): LimitWindows {
    return this.#calendar.windowsAt(moment);
  }

  async load(): Promise<void> {
    this.#calendar = new LimitCalendar((await rulesIn(this.#db)).map(changeOf));
  }

  async agree(rule: CalendarRule, now: number): Promise<void> {
    await this.load();
    // Most starts change nothing, and do not wait until the database can be written.
    if (isSame(rule, this.changes.at(-1) ?? usualRule)) return;
    await this.#db.transaction(async (transaction) => {
      const rules = await rulesIn(transaction);
      const newest = rules.at(-1);
      if (isSame(rule, newest === undefined ? usualRule : changeOf(newest))) return;
      if (newest !== undefined)
        return insert(transaction, Number(newest.number) + 1, { ...rule, since: now });
      const spent = await transaction.rows(sql`select 1 from key_totals limit 1`);
      if (spent.length === 0) return insert(transaction, 1, { ...rule, since: 0 });
      await insert(transaction, 1, { ...usualRule, since: 0 });
      await insert(transaction, 2, { ...rule, since: now });
    });
    await this.load();
  }

  async prune(now: number): Promise<void> {
    const rules = await rulesIn(this.#db);
    const oldest = rules.findLast(({ since }) => Number(since) <= now - keptRules * dayLength);
    if (oldest !== undefined) {
      await this.#db.change(sql`delete from limit_calendar where number < ${oldest.number}`);
    }
    const keepsQuarters = rules.some(({ time_zone: zone }) => zone !== 'UTC');
    await this.#pruneQuarters(keepsQuarters ? now - keptQuarters * dayLength : now);
  }

  /** Forgets the sums of quarters that were over before a moment. */
  async #pruneQuarters(before: number): Promise<void> {
    const end = Math.floor(before / quarterLength);
    let after = '';
    const kept = await this.#db.rows(sql`select 1 from key_spend_quarters limit 1`);
    if (kept.length === 0) return;
    for (;;) {
      const keys = await this.#db.rows<{ readonly key_hash: string }>(sql`
        select key_hash from key_totals where key_hash > ${after} order by key_hash limit ${keysAtOnce}`);
      const last = keys.at(-1)?.key_hash;
      if (last === undefined) return;
      await this.#db.change(sql`
        delete from key_spend_quarters where key_hash in (
          select key_hash from key_totals where key_hash > ${after} and key_hash <= ${last}
        ) and quarter < ${end}`);
      after = last;
    }
  }
}

function rulesIn(connection: SqlConnection): Promise<readonly RuleRow[]> {
  return connection.rows<RuleRow>(
    sql`select number, since, time_zone, week_start from limit_calendar order by number`,
  );
}

/** Of processes that begin together with one rule, the first one writes it. */
async function insert(connection: SqlConnection, number: number, change: CalendarChange): Promise<void> {
  const { since, timeZone, weekStart } = change;
  await connection.change(sql`
    insert into limit_calendar (number, since, time_zone, week_start)
    values (${number}, ${Math.floor(since)}, ${timeZone}, ${weekStart}) on conflict (number) do nothing`);
}

function changeOf({ since, time_zone: timeZone, week_start: weekStart }: RuleRow): CalendarChange {
  return { since: Number(since), timeZone, weekStart };
}

function isSame(one: CalendarRule, other: CalendarRule): boolean {
  return one.timeZone === other.timeZone && one.weekStart === other.weekStart;
}
