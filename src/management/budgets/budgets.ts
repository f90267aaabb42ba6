import { randomUUID } from 'node:crypto';
import type { LimitWindows } from '../../core/limit-calendar.ts';
import { formatUsd, type NanoUsd, usdToNumber } from '../../core/money.ts';
import {
  type BudgetInterval,
  type BudgetLimit,
  budgetIntervals,
  type WorkspaceBudget,
  type WorkspaceBudgets,
} from '../../ports/budgets.ts';
import type { StoredCaller } from '../../ports/callers.ts';
import type { ApiKey } from '../../ports/keys.ts';
import type { Workspace } from '../../ports/workspaces.ts';
import { malformed } from '../../schema/fault.ts';
import { endOfInterval, spentOfBudget, spentOfLimit } from '../../settlement/admit.ts';
import { isoTime } from '../../util/iso-time.ts';
import { inBatches } from '../../waiting/in-batches.ts';
import type { Actor, KeyActor } from '../actor.ts';
import { notingRefusal } from '../audit/refusals.ts';
import { makeChange } from '../make-change.ts';
import type { Uses, UsesToChange } from '../services.ts';
import { findWorkspace } from '../workspaces/workspaces.ts';

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

/** A limit of spending and how much of it is used. */
export interface NearLimit {
  readonly scope: 'key' | BudgetLimit['scope'];
  /** The id of the guardrail or of the budget of the workspace; the hash of a key for its own limit. */
  readonly source: string;
  /** The hash of a key, the id of a workspace or of a member. */
  readonly subject: string;
  /** For people; the id where there is no name. */
  readonly name: string;
  readonly interval: BudgetInterval;
  readonly limit: NanoUsd;
  readonly spent: NanoUsd;
  /** Whether what own credentials serve counts, at its list price. */
  readonly includeByok: boolean;
  /** When it begins anew, ISO 8601; undefined for one that never does. */
  readonly resetsAt: string | undefined;
}

/** Limits that are given. */
const mostShown = 200;
/** Keys that are looked at, and workspaces. */
const mostKeys = 1_000;
const mostWorkspaces = 100;

/**
 * The limits of an account's keys, workspaces and guardrails, those that are used up most first. Looks at the newest 1,000
 * enabled keys of the first 100 workspaces.
 */
export async function nearLimits(
  { account }: KeyActor,
  { storage, clock }: Uses<'workspaces' | 'keys' | 'callers', 'clock'>,
): Promise<readonly NearLimit[]> {
  const now = clock.now();
  const page = { accountId: account.id, offset: 0, limit: mostWorkspaces };
  const { workspaces } = await storage.workspaces.list(page);
  const lists = await inBatches(workspaces, ({ id: workspaceId }) =>
    storage.keys.list({
      accountId: account.id,
      workspaceId,
      includeDisabled: false,
      offset: 0,
      limit: mostKeys,
    }),
  );
  const keys = lists.flat().slice(0, mostKeys);
  const read = await storage.callers.read(
    keys.map(({ hash }) => hash),
    now,
  );
  // A key that is deleted meanwhile is missing.
  const callers = (await Promise.all(read.values())).filter((one) => one !== undefined);
  const windows = storage.callers.calendar.windowsAt(now);
  const found = new Map<string, NearLimit>();
  for (const caller of callers) {
    for (const limit of limitsOf(caller, windows, nameOf(workspaces, keys))) {
      found.set(`${limit.scope} ${limit.subject} ${limit.interval}`, limit);
    }
  }
  return [...found.values()].sort(worstFirst).slice(0, mostShown);
}

/** A limit as JSON. */
export function showNearLimit(near: NearLimit) {
  const { scope, subject, name, interval, limit, spent, includeByok, resetsAt } = near;
  return {
    scope,
    subject,
    name,
    reset_interval: interval === 'lifetime' ? null : interval,
    limit_nano: String(limit),
    spent_nano: String(spent),
    include_byok: includeByok,
    resets_at: resetsAt ?? null,
  };
}

/** The limits that hold for a key: its own, of guardrails and of its workspace. */
export function limitsOf(
  { key, spend, budgets = [], spends }: Pick<StoredCaller, 'key' | 'spend' | 'budgets' | 'spends'>,
  windows: LimitWindows,
  nameOf: (subject: string) => string,
): readonly NearLimit[] {
  const ofBudgets = budgets.flatMap(({ scope, source, subject: whole, interval, limit, includeByok }) => {
    const spent = spends?.get(whole);
    if (spent === undefined) return [];
    const subject = whole.slice(whole.indexOf(':') + 1);
    const used = spentOfBudget({ interval, includeByok }, spent);
    const resetsAt = endOfInterval(interval, windows);
    const name = nameOf(subject);
    return [{ scope, source, subject, name, interval, limit, spent: used, includeByok, resetsAt }];
  });
  if (key.limit === null || spend === undefined) return ofBudgets;
  const interval = key.limitReset ?? 'lifetime';
  const own = {
    scope: 'key',
    source: key.hash,
    subject: key.hash,
    name: key.name,
    interval,
    limit: key.limit,
    spent: spentOfLimit(key, spend),
    includeByok: key.includeByokInLimit,
    resetsAt: endOfInterval(interval, windows),
  } as const;
  return [own, ...ofBudgets];
}

function nameOf(workspaces: readonly Workspace[], keys: readonly ApiKey[]): (subject: string) => string {
  const names = new Map([
    ...workspaces.map(({ id, name }) => [id, name] as const),
    ...keys.map(({ hash, name }) => [hash, name] as const),
  ]);
  return (subject) => names.get(subject) ?? subject;
}

/** By the used part, exactly; a limit of nothing is used up. */
function worstFirst(one: NearLimit, other: NearLimit): number {
  const [left, right] = [one.spent * other.limit, other.spent * one.limit];
  if (one.limit === 0n || other.limit === 0n) return Number(other.limit === 0n) - Number(one.limit === 0n);
  return left === right ? 0 : left > right ? -1 : 1;
}
