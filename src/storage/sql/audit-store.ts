import {
  type AuditEntry,
  type AuditRecord,
  actorName,
  type ChainHead,
  chainEntry,
  emptyChain,
} from '../../core/audit-entry.ts';
import type { AuditChain, AuditQuery, AuditStore, StoredAuditEntry } from '../../ports/audit.ts';
import type { SqlConnection, SqlDatabase } from './database.ts';
import { type SqlStatement, type SqlValue, sql } from './statement.ts';
import { flag } from './values.ts';

interface EntryRow {
  readonly seq: bigint;
  readonly id: string;
  readonly at: bigint;
  readonly action: string;
  readonly object_type: string;
  readonly object_id: string | null;
  readonly actor: string;
  readonly outcome: string;
  readonly entry: string;
  readonly hash: string;
}

interface ChainRow {
  readonly account_id: string;
  readonly seq: bigint | null;
  readonly hash: string | null;
}

/** The audit log in any SQL engine (docs/spec/accounts.md#audit-log). */
export class SqlAuditStore implements AuditStore {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  async lock(accountId: string | null): Promise<void> {
    await lockChain(this.#db, accountId);
  }

  append(record: AuditRecord): Promise<AuditEntry> {
    return this.#db.transaction(async (transaction) => {
      const head = await lockChain(transaction, record.account_id);
      const { entry, text } = chainEntry(record, head);
      await transaction.change(insertEntry(entry, text));
      await transaction.change(sql`
        update audit_chains set seq = ${entry.seq}, hash = ${entry.hash}
        where account_id = ${chainOf(record.account_id)}`);
      return entry;
    });
  }

  async list(query: AuditQuery): Promise<readonly AuditEntry[]> {
    const { accountId, limit } = query;
    const order = accountId === undefined ? sql`at desc, account_id, seq desc` : sql`seq desc`;
    const rows = await this.#db.rows<EntryRow>(sql`
      select * from audit_entries where ${conditions(query)} order by ${order} limit ${limit}`);
    return rows.map(({ entry, hash }) => ({ ...(JSON.parse(entry) as AuditEntry), hash }));
  }

  async chains(): Promise<readonly AuditChain[]> {
    const rows = await this.#db.rows<ChainRow>(sql`
      select ids.account_id, seq, hash
      from (select account_id from audit_chains union select account_id from audit_entries) as ids
        left join audit_chains on audit_chains.account_id = ids.account_id
      order by ids.account_id`);
    return rows.map(({ account_id, seq, hash }) => ({
      accountId: account_id === '' ? null : account_id,
      seq: Number(seq ?? 0n),
      hash: hash ?? emptyChain.hash,
    }));
  }

  async read(accountId: string | null, after: number, limit: number): Promise<readonly StoredAuditEntry[]> {
    const rows = await this.#db.rows<EntryRow>(sql`
      select * from audit_entries where account_id = ${chainOf(accountId)} and seq > ${after}
      order by seq limit ${limit}`);
    return rows.map((row) => ({
      seq: Number(row.seq),
      text: row.entry,
      hash: row.hash,
      columns: {
        id: row.id,
        at: Number(row.at),
        action: row.action,
        objectType: row.object_type,
        objectId: row.object_id,
        actor: row.actor,
        outcome: row.outcome,
      },
    }));
  }
}

/** The end of a chain. Its row stays locked for the rest of the transaction. */
async function lockChain(connection: SqlConnection, accountId: string | null): Promise<ChainHead> {
  const [row] = await connection.rows<{ readonly seq: bigint; readonly hash: string }>(sql`
    insert into audit_chains (account_id, seq, hash)
    values (${chainOf(accountId)}, ${emptyChain.seq}, ${emptyChain.hash})
    on conflict (account_id) do update set seq = audit_chains.seq returning seq, hash`);
  return row === undefined ? emptyChain : { seq: Number(row.seq), hash: row.hash };
}

function insertEntry(entry: AuditEntry, text: string): SqlStatement {
  const { object } = entry;
  return sql`
    insert into audit_entries (account_id, seq, id, at, action, object_type, object_id, actor, outcome, entry, hash)
    values (${chainOf(entry.account_id)}, ${entry.seq}, ${entry.id}, ${Date.parse(entry.at)}, ${entry.action},
      ${object.type}, ${object.id}, ${actorName(entry.actor)}, ${entry.outcome}, ${text}, ${entry.hash})`;
}

function conditions(query: AuditQuery): SqlStatement {
  const { accountId, from, to, action, objectType, objectId, actor, outcome, before } = query;
  const equal = (column: SqlStatement, value: string | undefined) =>
    value === undefined ? undefined : sql`${column} = ${value}`;
  const wanted = [
    accountId === undefined ? undefined : sql`account_id = ${chainOf(accountId)}`,
    from === undefined ? undefined : sql`at >= ${from}`,
    to === undefined ? undefined : sql`at < ${to}`,
    before === undefined ? undefined : sql`seq < ${before}`,
    equal(sql`action`, action),
    equal(sql`object_type`, objectType),
    equal(sql`object_id`, objectId),
    equal(sql`actor`, actor),
    equal(sql`outcome`, outcome),
  ];
  return wanted.reduce<SqlStatement>(
    (all, one) => (one === undefined ? all : sql`${all} and ${one}`),
    sql`${flag(true) satisfies SqlValue} = 1`,
  );
}

/** The id under which a chain is stored. */
function chainOf(accountId: string | null): string {
  return accountId ?? '';
}
