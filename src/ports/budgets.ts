import type { NanoUsd } from '../core/money.ts';

/** How often a budget begins anew; a lifetime one never does. */
export type BudgetInterval = 'daily' | 'weekly' | 'monthly' | 'lifetime';

/** The intervals of budgets, the narrowest first. */
export const budgetIntervals: readonly BudgetInterval[] = ['daily', 'weekly', 'monthly', 'lifetime'];

/** What the keys of a workspace may spend together in an interval. Times are Unix milliseconds. */
export interface WorkspaceBudget {
  /** A UUID. */
  readonly id: string;
  readonly workspaceId: string;
  readonly interval: BudgetInterval;
  readonly limit: NanoUsd;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The budgets of one workspace. */
export interface WorkspaceBudgets {
  /** The narrowest first. */
  readonly budgets: readonly WorkspaceBudget[];
  /** Whether the list cost of what own provider credentials served counts. */
  readonly includeByok: boolean;
}

/** What a budget is of: the budgets of a request are checked in this order. */
export const budgetScopes = [
  'workspace_default_member',
  'workspace_default_key',
  'member',
  'api_key',
  'workspace',
] as const;

/** A budget that limits a caller. */
export interface BudgetLimit {
  readonly scope: (typeof budgetScopes)[number];
  /** The id of the guardrail, or of the budget of the workspace. */
  readonly source: string;
  /** Whose spending counts: `key:HASH`, `member:USER` of the account, or `workspace:ID`. */
  readonly subject: string;
  readonly interval: BudgetInterval;
  readonly limit: NanoUsd;
  readonly includeByok: boolean;
}

/** Stores the budgets of workspaces. */
export interface BudgetStore {
  read(workspaceId: string): Promise<WorkspaceBudgets>;
  /**
   * Sets one budget.
   * @param check Gets the limits as they would be; what it throws leaves everything as it was.
   * @param includeByok Of all budgets of the workspace; undefined keeps it.
   */
  put(
    budget: WorkspaceBudget,
    includeByok: boolean | undefined,
    check: (limits: ReadonlyMap<BudgetInterval, NanoUsd>) => void,
  ): Promise<WorkspaceBudget>;
  /** Deletes one budget, if there is one. */
  delete(workspaceId: string, interval: BudgetInterval): Promise<void>;
}
