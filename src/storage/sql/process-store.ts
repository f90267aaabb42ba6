import {
  keptProcesses,
  type ProcessFigures,
  type ProcessReport,
  type ProcessStore,
  processMemory,
} from '../../ports/processes.ts';
import type { SqlDatabase } from './database.ts';
import { sql } from './statement.ts';

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
