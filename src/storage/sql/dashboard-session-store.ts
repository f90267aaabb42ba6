import {
  type DashboardSession,
  type DashboardSessionStore,
  type LoginLink,
  mostSessions,
  mostSessionsOfKey,
  type Principal,
} from '../../ports/dashboard-sessions.ts';
import type { SqlConnection, SqlDatabase } from './database.ts';
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
    const keyHash = principals[0]?.keyHash ?? '';
    await this.#db.transaction(async (transaction) => {
      await transaction.change(sql`
        delete from dashboard_sessions where ends_at <= ${createdAt} or used_at + idle <= ${createdAt}`);
      await transaction.change(sql`
        delete from dashboard_sessions where key_hash = ${keyHash} and id not in (
          select id from dashboard_sessions where key_hash = ${keyHash}
          order by used_at desc, created_at desc, id limit ${mostSessionsOfKey - 1})`);
      await makeRoom(transaction, session);
      await transaction.change(sql`
        insert into dashboard_sessions
          (id, csrf, key_hash, principals, created_at, used_at, ends_at, idle, address, browser)
        values (${id}, ${csrf}, ${keyHash}, ${JSON.stringify(principals)}, ${createdAt},
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

/** Takes sessions away until there is room for another one, from the account that has most of them with the new one. */
async function makeRoom(transaction: SqlConnection, added: DashboardSession): Promise<void> {
  const [counted] = await transaction.rows<{ readonly n: bigint }>(
    sql`select count(*) as n from dashboard_sessions`,
  );
  if (Number(counted?.n ?? 0) < mostSessions) return;
  let sessions = (await transaction.rows<Row>(sql`select * from dashboard_sessions`)).map(sessionOf);
  while (sessions.length >= mostSessions) {
    const victim = leastEntitled(sessions, added);
    await transaction.change(sql`delete from dashboard_sessions where id = ${victim.id}`);
    sessions = sessions.filter((one) => one !== victim);
  }
}

/** The session that makes room for another one. */
function leastEntitled(sessions: readonly DashboardSession[], added: DashboardSession): DashboardSession {
  const counts = new Map<string, number>();
  for (const { principals } of [...sessions, added]) {
    for (const name of [principals[0]?.accountId, principals[0]?.keyHash]) {
      counts.set(name ?? '', (counts.get(name ?? '') ?? 0) + 1);
    }
  }
  const rank = ({ principals: [first], usedAt }: DashboardSession) => [
    -(counts.get(first?.accountId ?? '') ?? 0),
    -(counts.get(first?.keyHash ?? '') ?? 0),
    first?.kind === 'inference' ? 0 : 1,
    usedAt,
  ];
  return sessions.reduce((least, one) => (isBefore(rank(one), rank(least)) ? one : least));
}

/** Whether the first number in which two lists differ is smaller in the first one. */
function isBefore(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at !== -1 && (one[at] ?? 0) < (other[at] ?? 0);
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
