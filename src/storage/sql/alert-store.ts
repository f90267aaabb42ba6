import {
  type AlertPlace,
  type AlertStore,
  type DueAlert,
  keptAlerts,
  type NewAlert,
  type RaisedAlert,
} from '../../ports/alerts.ts';
import { dayLength } from '../../util/utc-windows.ts';
import type { SqlDatabase } from './database.ts';
import { sql } from './statement.ts';
import { numberOrNull } from './values.ts';

interface DueRow {
  readonly id: string;
  readonly type: string;
  readonly body: string;
  readonly attempts: bigint;
}

interface RaisedRow {
  readonly id: string;
  readonly type: string;
  readonly body: string;
  readonly attempts: bigint;
  readonly created_at: bigint;
  readonly delivered_at: bigint | null;
  readonly due_at: bigint | null;
}

/** How long a place that was armed again is remembered under another name. */
const kept = 2 * dayLength;

/** Alerts in any SQL engine (docs/spec/alerts.md#once). */
export class SqlAlertStore implements AlertStore {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  async raisedFor(subjects: readonly string[]): Promise<readonly AlertPlace[]> {
    if (subjects.length === 0) return [];
    const listed = subjects.map((subject) => sql`${subject}`).reduce((one, other) => sql`${one}, ${other}`);
    return this.#db.rows<AlertPlace>(sql`
      select subject, threshold, period as "window" from alerts where subject in (${listed})`);
  }

  async raise({
    id,
    type,
    subject,
    threshold,
    window,
    body,
    createdAt,
    expiresAt,
  }: NewAlert): Promise<boolean> {
    const added = await this.#db.change(sql`
      insert into alerts (id, type, subject, threshold, period, body, created_at, expires_at, attempts, due_at)
      values (${id}, ${type}, ${subject}, ${threshold}, ${window}, ${body}, ${createdAt}, ${expiresAt}, 0, ${createdAt})
      on conflict (subject, threshold, period) do nothing`);
    return added > 0;
  }

  async rearm({ subject, threshold, window }: AlertPlace, now: number): Promise<void> {
    await this.#db.change(sql`
      update alerts set period = id, expires_at = ${now + kept}
      where subject = ${subject} and threshold = ${threshold} and period = ${window}`);
  }

  async take(now: number, until: number): Promise<DueAlert | undefined> {
    // Most looks find nothing, and a read waits for no writer.
    const [due] = await this.#db.rows<{ readonly id: string }>(sql`
      select id from alerts where due_at is not null and due_at <= ${now} order by due_at, id limit 1`);
    if (due === undefined) return undefined;
    const [row] = await this.#db.rows<DueRow>(sql`
      update alerts set due_at = ${until}
      where id = ${due.id} and due_at is not null and due_at <= ${now} returning id, type, body, attempts`);
    return row && { ...row, attempts: Number(row.attempts) };
  }

  async postpone(id: string, next: number | null): Promise<void> {
    await this.#db.change(sql`update alerts set attempts = attempts + 1, due_at = ${next} where id = ${id}`);
  }

  async delivered(id: string, now: number): Promise<void> {
    await this.#db.change(sql`
      update alerts set attempts = attempts + 1, due_at = null, delivered_at = ${now} where id = ${id}`);
  }

  async prune(now: number): Promise<void> {
    await this.#db.change(sql`
      delete from alerts where expires_at <= ${now} and due_at is null and created_at <= ${now - keptAlerts}`);
  }

  async raisedSince(from: number, limit: number): Promise<readonly RaisedAlert[]> {
    const rows = await this.#db.rows<RaisedRow>(sql`
      select id, type, body, attempts, created_at, delivered_at, due_at from alerts
      where created_at >= ${from} order by created_at desc, id limit ${limit}`);
    return rows.map(({ id, type, body, attempts, ...row }) => ({
      id,
      type,
      body,
      attempts: Number(attempts),
      createdAt: Number(row.created_at),
      deliveredAt: numberOrNull(row.delivered_at),
      dueAt: numberOrNull(row.due_at),
    }));
  }
}
