import { type Job, type JobKind, type JobReport, type JobStore, keptJobs } from '../../ports/jobs.ts';
import type { SqlDatabase } from './database.ts';
import { sql } from './statement.ts';

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
