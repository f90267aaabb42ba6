import { randomUUID } from 'node:crypto';
import { formatUsd, type NanoUsd, usdToNumber } from '../../core/money.ts';
import {
  type BudgetInterval,
  budgetIntervals,
  type WorkspaceBudget,
  type WorkspaceBudgets,
} from '../../ports/budgets.ts';
import { malformed } from '../../schema/fault.ts';
import { isoTime } from '../../util/iso-time.ts';
import type { Actor } from '../actor.ts';
import { notingRefusal } from '../audit/noting-refusal.ts';
import { makeChange } from '../make-change.ts';
import type { Uses, UsesToChange } from '../services.ts';
import { findWorkspace } from '../workspaces/find-workspace.ts';

type ReadServices = Uses<'accounts' | 'workspaces' | 'budgets'>;
type ChangeServices = UsesToChange<'accounts' | 'workspaces' | 'budgets'>;

/** A budget as JSON. */
export function showBudget(budget: WorkspaceBudget) {
  return {
    id: budget.id,
    workspace_id: budget.workspaceId,
    limit_usd: usdToNumber(budget.limit),
    reset_interval: budget.interval === 'lifetime' ? null : budget.interval,
    created_at: isoTime(budget.createdAt),
    updated_at: isoTime(budget.updatedAt),
  };
}

/** The budgets of a workspace, which its id or slug names. @throws HeadgateError `not_found`. */
export async function readBudgets(
  actor: Actor,
  workspace: string,
  services: ReadServices,
): Promise<WorkspaceBudgets> {
  const { id } = await findWorkspace(actor, workspace, services);
  return services.storage.budgets.read(id);
}

/** What a budget is set to. */
export interface BudgetInput {
  readonly workspace: string;
  readonly interval: string;
  readonly limit: NanoUsd;
  /** Of all budgets of the workspace; undefined keeps it. */
  readonly includeByok?: boolean | undefined;
}

/**
 * Sets one budget of a workspace (docs/spec/guardrails.md#workspace-budgets).
 * @throws HeadgateError `not_found`; `invalid_request` for an interval that there is not, and for a limit that is not below those of
 *   all longer intervals.
 */
export function setBudget(
  actor: Actor,
  { workspace, interval: written, limit, includeByok }: BudgetInput,
  services: ChangeServices,
): Promise<WorkspaceBudget> {
  const action = 'budget.set';
  return notingRefusal({ actor, action, id: written }, services, async () => {
    const interval = readInterval(written);
    if (limit <= 0n) throw malformed('limit_usd', 'must be above 0');
    const { id: workspaceId, accountId } = await findWorkspace(actor, workspace, services);
    const now = services.clock.now();
    const budget = { id: randomUUID(), workspaceId, interval, limit, createdAt: now, updatedAt: now };
    const after = (stored: WorkspaceBudget) => ({
      ...showBudget(stored),
      ...(includeByok !== undefined && { include_byok_in_budgets: includeByok }),
    });
    const change = { actor, action, id: interval, accountId, workspaceId, after } as const;
    return makeChange({ ...change, outdates: { kind: 'callers' } }, services, ({ budgets }) =>
      budgets.put(budget, includeByok, requireFalling),
    );
  });
}

/** Deletes one budget, if there is one. @throws HeadgateError `not_found` for the workspace. */
export function deleteBudget(
  actor: Actor,
  { workspace, interval: written }: Pick<BudgetInput, 'workspace' | 'interval'>,
  services: ChangeServices,
): Promise<void> {
  const action = 'budget.delete';
  return notingRefusal({ actor, action, id: written }, services, async () => {
    const interval = readInterval(written);
    const { id: workspaceId, accountId } = await findWorkspace(actor, workspace, services);
    const change = { actor, action, id: interval, accountId, workspaceId } as const;
    await makeChange({ ...change, outdates: { kind: 'callers' } }, services, ({ budgets }) =>
      budgets.delete(workspaceId, interval),
    );
  });
}

/** The interval of a name. @throws HeadgateError `invalid_request`. */
export function readInterval(written: string): BudgetInterval {
  const interval = budgetIntervals.find((known) => known === written);
  if (interval !== undefined) return interval;
  throw malformed('interval', `must be one of ${budgetIntervals.join(', ')}`);
}

/** A shorter interval with the same limit, or a higher one, would never matter. */
function requireFalling(limits: ReadonlyMap<BudgetInterval, NanoUsd>): void {
  let shorter: readonly [BudgetInterval, NanoUsd] | undefined;
  for (const interval of budgetIntervals) {
    const limit = limits.get(interval);
    if (limit === undefined) continue;
    if (shorter !== undefined && limit <= shorter[1]) {
      throw malformed(
        'limit_usd',
        `the ${interval} budget, ${formatUsd(limit)} USD, must be above the ${shorter[0]} one, ${formatUsd(shorter[1])} USD`,
      );
    }
    shorter = [interval, limit];
  }
}
