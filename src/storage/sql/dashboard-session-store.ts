import {
  type DashboardSession,
  type DashboardSessionStore,
  type LoginLink,
  mostSessions,
  type Principal,
} from '../../ports/dashboard-sessions.ts';
import type { SqlDatabase } from './database.ts';
import { sql } from './statement.ts';

interface Row {
  readonly id: string;
  readonly csrf: string;
  readonly principals: string;
  readonly created_at: bigint;
  readonly used_at: bigint;
  readonly ends_at: bigint;
  readonly idle: bigint;
  readonly address: string | null;
  readonly browser: string;
}

/** Sessions of the dashboard in any SQL engine (docs/spec/dashboard.md#sessions). */
export class SqlDashboardSessionStore implements DashboardSessionStore {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  async create(session: DashboardSession): Promise<void> {
    const { id, csrf, principals, createdAt, usedAt, endsAt, idle, address, browser } = session;
    await this.#db.transaction(async (transaction) => {
      await transaction.change(sql`
        delete from dashboard_sessions where ends_at <= ${createdAt} or used_at + idle <= ${createdAt}`);
      await transaction.change(sql`
        delete from dashboard_sessions where id not in (
          select id from dashboard_sessions order by used_at desc, id limit ${mostSessions - 1})`);
      await transaction.change(sql`
        insert into dashboard_sessions
          (id, csrf, key_hash, principals, created_at, used_at, ends_at, idle, address, browser)
        values (${id}, ${csrf}, ${principals[0]?.keyHash ?? ''}, ${JSON.stringify(principals)}, ${createdAt},
          ${usedAt}, ${endsAt}, ${idle}, ${address}, ${browser})`);
    });
  }

  async find(id: string): Promise<DashboardSession | undefined> {
    const [row] = await this.#db.rows<Row>(sql`select * from dashboard_sessions where id = ${id}`);
    return row && sessionOf(row);
  }

  async touch(id: string, usedAt: number): Promise<void> {
    await this.#db.change(sql`
      update dashboard_sessions set used_at = ${usedAt} where id = ${id} and used_at < ${usedAt}`);
  }

  async setPrincipals(id: string, principals: readonly Principal[]): Promise<void> {
    await this.#db.change(sql`
      update dashboard_sessions set principals = ${JSON.stringify(principals)} where id = ${id}`);
  }

  async delete(id: string): Promise<boolean> {
    return (await this.#db.change(sql`delete from dashboard_sessions where id = ${id}`)) > 0;
  }

  async ofKey(keyHash: string): Promise<readonly DashboardSession[]> {
    const rows = await this.#db.rows<Row>(sql`
      select * from dashboard_sessions where key_hash = ${keyHash} order by created_at desc, id`);
    return rows.map(sessionOf);
  }

  async createLink({ codeHash, keyHash, expiresAt }: LoginLink, now: number): Promise<void> {
    await this.#db.transaction(async (transaction) => {
      await transaction.change(sql`delete from dashboard_links where expires_at <= ${now}`);
      await transaction.change(sql`
        insert into dashboard_links (code_hash, key_hash, expires_at) values (${codeHash}, ${keyHash}, ${expiresAt})`);
    });
  }

  async takeLink(codeHash: string, now: number): Promise<string | undefined> {
    const [row] = await this.#db.rows<{ readonly key_hash: string; readonly expires_at: bigint }>(sql`
      delete from dashboard_links where code_hash = ${codeHash} returning key_hash, expires_at`);
    return row === undefined || Number(row.expires_at) <= now ? undefined : row.key_hash;
  }
}

function sessionOf(row: Row): DashboardSession {
  return {
    id: row.id,
    csrf: row.csrf,
    principals: JSON.parse(row.principals) as Principal[],
    createdAt: Number(row.created_at),
    usedAt: Number(row.used_at),
    endsAt: Number(row.ends_at),
    idle: Number(row.idle),
    address: row.address,
    browser: row.browser,
  };
}
