import { type NanoUsd, nanoFromInteger } from '../../core/money.ts';
import {
  type BudgetInterval,
  type BudgetStore,
  budgetIntervals,
  type WorkspaceBudget,
  type WorkspaceBudgets,
} from '../../ports/budgets.ts';
import type { SqlConnection, SqlDatabase } from './database.ts';
import { sql } from './statement.ts';
import { flag, isSet } from './values.ts';

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
