import {
  type AlertPlace,
  type AlertStore,
  type DueAlert,
  keptAlerts,
  type NewAlert,
  type RaisedAlert,
} from '../../ports/alerts.ts';
import { type Job, type JobKind, type JobReport, type JobStore, keptJobs } from '../../ports/jobs.ts';
import {
  keptProcesses,
  type ProcessFigures,
  type ProcessReport,
  type ProcessStore,
  processMemory,
} from '../../ports/processes.ts';
import { dayLength } from '../../util/utc-windows.ts';
import type { SqlDatabase } from './database.ts';
import { sql } from './statement.ts';
import { numberOrNull } from './values.ts';

interface ProcessRow {
  readonly id: string;
  readonly host: string;
  readonly pid: bigint;
  readonly version: string;
  readonly started_at: bigint;
  readonly seen_at: bigint;
  readonly format: bigint;
  readonly figures: string;
}

/** Which figures there are. A change of `ProcessFigures` is another format, which older processes do not read. */
const format = 1;

/** What processes report of themselves, in any SQL engine (docs/spec/operations.md#processes). */
export class SqlProcessStore implements ProcessStore {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  async report({ id, host, pid, version, startedAt, seenAt, figures }: ProcessReport): Promise<void> {
    const said = JSON.stringify(figures ?? null);
    await this.#db.change(sql`
      insert into processes (id, host, pid, version, started_at, seen_at, format, figures)
      values (${id}, ${host}, ${pid}, ${version}, ${startedAt}, ${seenAt}, ${format}, ${said})
      on conflict (id) do update set seen_at = ${seenAt}, figures = ${said}`);
  }

  async leave(id: string): Promise<void> {
    await this.#db.change(sql`delete from processes where id = ${id}`);
  }

  async prune(now: number): Promise<void> {
    await this.#db.change(sql`
      delete from processes where seen_at <= ${now - processMemory} or id not in (
        select id from processes order by seen_at desc, id limit ${keptProcesses})`);
  }

  async list(): Promise<readonly ProcessReport[]> {
    const rows = await this.#db.rows<ProcessRow>(sql`
      select id, host, pid, version, started_at, seen_at, format, figures from processes
      order by started_at, id limit ${2 * keptProcesses}`);
    return rows.map(reportOf);
  }
}

function reportOf({ id, host, pid, version, format: written, figures, ...row }: ProcessRow): ProcessReport {
  const isKnown = Number(written) === format;
  return {
    id,
    host,
    pid: Number(pid),
    version,
    startedAt: Number(row.started_at),
    seenAt: Number(row.seen_at),
    // Written by this store, in this format.
    figures: isKnown ? ((JSON.parse(figures) as ProcessFigures | null) ?? undefined) : undefined,
  };
}

interface JobRow {
  readonly id: string;
  readonly kind: JobKind;
  readonly state: Job['state'];
  readonly done: bigint;
  readonly steps: bigint;
  readonly result: string | null;
  readonly created_by: string;
  readonly created_at: bigint;
  readonly updated_at: bigint;
}

/** Jobs in any SQL engine (docs/spec/dashboard.md#jobs). */
export class SqlJobStore implements JobStore {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  begin(job: Job, lostBefore: number): Promise<boolean> {
    const { id, kind, state, done, steps, result, createdBy, createdAt, updatedAt } = job;
    return this.#db.transaction(async (transaction) => {
      await transaction.change(sql`
        update jobs set state = 'lost'
        where kind = ${kind} and state = 'running' and updated_at < ${lostBefore}`);
      const added = await transaction.change(sql`
        insert into jobs (id, kind, state, done, steps, result, created_by, created_at, updated_at)
        values (${id}, ${kind}, ${state}, ${done}, ${steps}, ${result}, ${createdBy}, ${createdAt}, ${updatedAt})
        on conflict do nothing`);
      await transaction.change(sql`
        delete from jobs where id not in (
          select id from jobs order by created_at desc, id limit ${keptJobs})`);
      return added > 0;
    });
  }

  async report(id: string, { state, done, steps, result, updatedAt }: JobReport): Promise<void> {
    await this.#db.change(sql`
      update jobs set state = ${state}, done = ${done}, steps = ${steps}, result = ${result},
        updated_at = ${updatedAt}
      where id = ${id} and state = 'running'`);
  }

  async find(id: string): Promise<Job | undefined> {
    const [row] = await this.#db.rows<JobRow>(sql`select * from jobs where id = ${id}`);
    return row && jobOf(row);
  }

  async latest(kind: JobKind): Promise<Job | undefined> {
    const [row] = await this.#db.rows<JobRow>(sql`
      select * from jobs where kind = ${kind} order by created_at desc, id limit 1`);
    return row && jobOf(row);
  }
}

function jobOf({ id, kind, state, done, steps, result, ...row }: JobRow): Job {
  return {
    id,
    kind,
    state,
    done: Number(done),
    steps: Number(steps),
    result,
    createdBy: row.created_by,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
}

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
