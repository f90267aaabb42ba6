import { type NanoUsd, nanoFromInteger } from '../../core/money.ts';
import {
  type BudgetInterval,
  type BudgetStore,
  budgetIntervals,
  type WorkspaceBudget,
  type WorkspaceBudgets,
} from '../../ports/budgets.ts';
import type { Member, MemberRole, MemberStore, WorkspaceMember } from '../../ports/members.ts';
import type { SqlConnection, SqlDatabase } from './database.ts';
import { sql } from './statement.ts';
import { flag, isSet } from './values.ts';
import { holdAccount } from './workspace-store.ts';

interface MemberRow {
  readonly account_id: string;
  readonly user_id: string;
  readonly email: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly role: MemberRole;
  readonly created_at: bigint;
}

interface PlaceRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly user_id: string;
  readonly role: MemberRole;
  readonly created_at: bigint;
}

/** Members of organizations in any SQL engine (docs/spec/accounts.md#members). */
export class SqlMemberStore implements MemberStore {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  async add({ accountId, userId, email, firstName, lastName, role, createdAt }: Member): Promise<boolean> {
    const added = await this.#db.change(sql`
      insert into members (account_id, user_id, email, first_name, last_name, role, created_at)
      values (${accountId}, ${userId}, ${email}, ${firstName}, ${lastName}, ${role}, ${createdAt})
      on conflict (account_id, user_id) do nothing`);
    return added > 0;
  }

  async find(accountId: string, userId: string): Promise<Member | undefined> {
    const [row] = await this.#db.rows<MemberRow>(
      sql`select * from members where account_id = ${accountId} and user_id = ${userId}`,
    );
    return row && memberFromRow(row);
  }

  list({ accountId, offset, limit }: Parameters<MemberStore['list']>[0]) {
    return this.#db.snapshot(async (snapshot) => {
      const rows = await snapshot.rows<MemberRow>(sql`
        select * from members where account_id = ${accountId}
        order by created_at, user_id limit ${limit} offset ${offset}`);
      const [count] = await snapshot.rows<{ readonly total: bigint }>(
        sql`select count(*) as total from members where account_id = ${accountId}`,
      );
      return { members: rows.map(memberFromRow), total: Number(count?.total ?? 0n) };
    });
  }

  remove(accountId: string, userId: string): Promise<boolean> {
    return this.#db.transaction(async (transaction) => {
      await holdAccount(transaction, accountId);
      const removed = await transaction.change(
        sql`delete from members where account_id = ${accountId} and user_id = ${userId}`,
      );
      if (removed === 0) return false;
      await transaction.change(
        sql`delete from workspace_members where account_id = ${accountId} and user_id = ${userId}`,
      );
      await transaction.change(sql`
        delete from guardrail_assignments
        where account_id = ${accountId} and kind = 'member' and subject = ${userId}`);
      return true;
    });
  }

  join(places: readonly WorkspaceMember[]): Promise<readonly WorkspaceMember[]> {
    return this.#db.transaction(async (transaction) => {
      const joined: WorkspaceMember[] = [];
      for (const place of places) {
        const { id, workspaceId, userId, createdAt } = place;
        const added = await transaction.change(sql`
          insert into workspace_members (id, account_id, workspace_id, user_id, created_at)
          select ${id}, account_id, ${workspaceId}, ${userId}, cast(${createdAt} as bigint) from workspaces where id = ${workspaceId}
          on conflict (workspace_id, user_id) do nothing`);
        if (added > 0) joined.push(place);
      }
      return joined;
    });
  }

  listIn({ workspaceId, offset, limit }: Parameters<MemberStore['listIn']>[0]) {
    return this.#db.snapshot(async (snapshot) => {
      const rows = await snapshot.rows<PlaceRow>(sql`
        select workspace_members.*, members.role from workspace_members
          join members on members.account_id = workspace_members.account_id
            and members.user_id = workspace_members.user_id
        where workspace_id = ${workspaceId}
        order by workspace_members.created_at, workspace_members.id limit ${limit} offset ${offset}`);
      const [count] = await snapshot.rows<{ readonly total: bigint }>(
        sql`select count(*) as total from workspace_members where workspace_id = ${workspaceId}`,
      );
      return { members: rows.map(placeFromRow), total: Number(count?.total ?? 0n) };
    });
  }

  leave(workspaceId: string, userIds: readonly string[]): Promise<number> {
    return this.#db.transaction(async (transaction) => {
      let left = 0;
      for (const userId of userIds) {
        left += await transaction.change(sql`
          delete from workspace_members where workspace_id = ${workspaceId} and user_id = ${userId}`);
      }
      return left;
    });
  }

  async withKeysIn(workspaceId: string, userIds: readonly string[], now: number): Promise<readonly string[]> {
    const rows = await this.#db.rows<{ readonly creator_user_id: string }>(sql`
      select distinct creator_user_id from api_keys
      where workspace_id = ${workspaceId} and creator_user_id is not null and disabled = 0
        and deleted_at is null and (expires_at is null or expires_at > ${now})`);
    const creators = new Set(rows.map((row) => row.creator_user_id));
    return userIds.filter((userId) => creators.has(userId));
  }
}

function memberFromRow(row: MemberRow): Member {
  return {
    accountId: row.account_id,
    userId: row.user_id,
    email: row.email,
    firstName: row.first_name,
    lastName: row.last_name,
    role: row.role,
    createdAt: Number(row.created_at),
  };
}

function placeFromRow(row: PlaceRow): WorkspaceMember {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    userId: row.user_id,
    role: row.role,
    createdAt: Number(row.created_at),
  };
}

interface BudgetRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly period: BudgetInterval;
  readonly limit_amount: bigint;
  readonly created_at: bigint;
  readonly updated_at: bigint;
}

/** Budgets of workspaces in any SQL engine (docs/spec/guardrails.md#workspace-budgets). */
export class SqlBudgetStore implements BudgetStore {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  read(workspaceId: string): Promise<WorkspaceBudgets> {
    return this.#db.snapshot(async (snapshot) => {
      const [workspace] = await snapshot.rows<{ readonly include_byok_in_budgets: bigint }>(
        sql`select include_byok_in_budgets from workspaces where id = ${workspaceId}`,
      );
      return {
        budgets: await budgetsOf(snapshot, workspaceId),
        includeByok: isSet(workspace?.include_byok_in_budgets ?? 0n),
      };
    });
  }

  put(
    budget: WorkspaceBudget,
    includeByok: boolean | undefined,
    check: (limits: ReadonlyMap<BudgetInterval, NanoUsd>) => void,
  ): Promise<WorkspaceBudget> {
    const { id, workspaceId, interval, limit, createdAt, updatedAt } = budget;
    return this.#db.transaction(async (transaction) => {
      // Others that set budgets of this workspace wait here.
      await transaction.change(sql`update workspaces set id = id where id = ${workspaceId}`);
      const known = await budgetsOf(transaction, workspaceId);
      check(new Map([...known.map((one) => [one.interval, one.limit] as const), [interval, limit]]));
      await transaction.change(sql`
        insert into workspace_budgets (id, workspace_id, period, limit_amount, created_at, updated_at)
        values (${id}, ${workspaceId}, ${interval}, ${limit}, ${createdAt}, ${updatedAt})
        on conflict (workspace_id, period) do update set
          limit_amount = excluded.limit_amount, updated_at = excluded.updated_at`);
      if (includeByok !== undefined) {
        await transaction.change(sql`
          update workspaces set include_byok_in_budgets = ${flag(includeByok)} where id = ${workspaceId}`);
      }
      const stored = (await budgetsOf(transaction, workspaceId)).find((one) => one.interval === interval);
      return stored ?? budget;
    });
  }

  async delete(workspaceId: string, interval: BudgetInterval): Promise<void> {
    await this.#db.change(
      sql`delete from workspace_budgets where workspace_id = ${workspaceId} and period = ${interval}`,
    );
  }
}

async function budgetsOf(db: SqlConnection, workspaceId: string): Promise<readonly WorkspaceBudget[]> {
  const rows = await db.rows<BudgetRow>(
    sql`select * from workspace_budgets where workspace_id = ${workspaceId}`,
  );
  return rows
    .map((row) => ({
      id: row.id,
      workspaceId: row.workspace_id,
      interval: row.period,
      limit: nanoFromInteger(row.limit_amount),
      createdAt: Number(row.created_at),
      updatedAt: Number(row.updated_at),
    }))
    .sort((one, other) => budgetIntervals.indexOf(one.interval) - budgetIntervals.indexOf(other.interval));
}
