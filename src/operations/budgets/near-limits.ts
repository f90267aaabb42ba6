import type { LimitWindows } from '../../core/limit-calendar.ts';
import type { NanoUsd } from '../../core/money.ts';
import type { BudgetInterval, BudgetLimit } from '../../ports/budgets.ts';
import type { StoredCaller } from '../../ports/callers.ts';
import type { ApiKey } from '../../ports/keys.ts';
import type { Workspace } from '../../ports/workspaces.ts';
import { spentOfLimit } from '../../settlement/admit.ts';
import { endOfInterval, spentOfBudget } from '../../settlement/admit-budgets.ts';
import { inBatches } from '../../util/in-batches.ts';
import type { KeyActor } from '../actor.ts';
import type { Uses } from '../services.ts';

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
