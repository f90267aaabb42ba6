import type { SqlConnection } from './database.ts';
import { sql } from './statement.ts';

/** Deletes the guardrails that are filed in a workspace, its budgets, and places of members in it. */
export async function deleteGuardrails(transaction: SqlConnection, workspaceId: string): Promise<void> {
  await transaction.change(sql`
    delete from guardrail_assignments
    where guardrail_id in (select id from guardrails where workspace_id = ${workspaceId})`);
  await transaction.change(sql`delete from guardrails where workspace_id = ${workspaceId}`);
  await transaction.change(sql`delete from workspace_budgets where workspace_id = ${workspaceId}`);
  await transaction.change(sql`delete from workspace_members where workspace_id = ${workspaceId}`);
}
