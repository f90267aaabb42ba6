import type { Insertable, Kysely, Selectable, Updateable } from 'kysely';
import type { Account, AccountChange, AccountStore } from '../../ports/accounts.ts';
import type { Schema } from './schema.ts';
import { flag, isSet } from './values.ts';

type AccountRow = Selectable<Schema['accounts']>;

/** Accounts and their default workspaces in any SQL engine (accounts-and-limits 1.1, 1.3). */
export class SqlAccountStore implements AccountStore {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  async create(account: Account): Promise<void> {
    await this.#db.transaction().execute(async (transaction) => {
      await transaction.insertInto('accounts').values(toRow(account)).execute();
      if (account.defaultWorkspaceId === null) return;
      await transaction
        .insertInto('workspaces')
        .values({
          id: account.defaultWorkspaceId,
          account_id: account.id,
          name: 'Default',
          slug: 'default',
          created_at: account.createdAt,
        })
        .execute();
    });
  }

  async find(id: string): Promise<Account | undefined> {
    const row = await this.#db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
    return row && accountFromRow(row);
  }

  async list(): Promise<readonly Account[]> {
    const rows = await this.#db
      .selectFrom('accounts')
      .selectAll()
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map(accountFromRow);
  }

  async update(id: string, change: AccountChange): Promise<Account | undefined> {
    const changes = toChanges(change);
    if (Object.keys(changes).length === 0) return this.find(id);
    const row = await this.#db
      .updateTable('accounts')
      .set(changes)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst();
    return row && accountFromRow(row);
  }
}

/** An account as its row has it; extra columns of a join do no harm. */
export function accountFromRow(row: AccountRow): Account {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    billingMode: row.billing_mode,
    freeLimitExempt: isSet(row.free_limit_exempt),
    inflightExempt: isSet(row.inflight_exempt),
    disabled: isSet(row.disabled),
    defaultWorkspaceId: row.default_workspace_id,
    createdAt: Number(row.created_at),
  };
}

function toRow(account: Account): Insertable<Schema['accounts']> {
  return {
    id: account.id,
    name: account.name,
    kind: account.kind,
    billing_mode: account.billingMode,
    free_limit_exempt: flag(account.freeLimitExempt),
    inflight_exempt: flag(account.inflightExempt),
    disabled: flag(account.disabled),
    default_workspace_id: account.defaultWorkspaceId,
    created_at: account.createdAt,
  };
}

function toChanges(change: AccountChange): Updateable<Schema['accounts']> {
  const changes: Updateable<Schema['accounts']> = {};
  if (change.name !== undefined) changes.name = change.name;
  if (change.billingMode !== undefined) changes.billing_mode = change.billingMode;
  if (change.freeLimitExempt !== undefined) changes.free_limit_exempt = flag(change.freeLimitExempt);
  if (change.inflightExempt !== undefined) changes.inflight_exempt = flag(change.inflightExempt);
  if (change.disabled !== undefined) changes.disabled = flag(change.disabled);
  return changes;
}
