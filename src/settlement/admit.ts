import { HeadgateError } from '../core/errors.ts';
import type { LimitWindows } from '../core/limit-calendar.ts';
import { formatUsd, type NanoUsd, sumUsd, usdToNumber, zeroUsd } from '../core/money.ts';
import type { Account } from '../ports/accounts.ts';
import { type BudgetInterval, budgetIntervals, budgetScopes } from '../ports/budgets.ts';
import type { ApiKey, KeySpend, SpendWindows } from '../ports/keys.ts';
import { isoTime } from '../util/iso-time.ts';
import type { Caller, CallerBudget } from './caller.ts';
import { keyLimitReached, negativeBalance } from './refusals.ts';

/** Whether an account pays in advance; the others meet no balance check and no in-flight budget. */
export function isPrepaid(account: Account): boolean {
  return account.billingMode === 'prepaid';
}

/** What is left of a key's limit, or null without one (docs/spec/accounts.md#windows). */
export function limitRemaining(key: ApiKey, spend: KeySpend): NanoUsd | null {
  if (key.limit === null) return null;
  const left = key.limit - spentOfLimit(key, spend);
  return left > 0n ? (left as NanoUsd) : zeroUsd;
}

/** What counts against a key's limit in its current window. */
export function spentOfLimit(key: ApiKey, spend: KeySpend): NanoUsd {
  const byok = key.includeByokInLimit ? windowOf(spend.byokUsage, key) : zeroUsd;
  return sumUsd(windowOf(spend.usage, key), byok);
}

/**
 * Refuses every request, free ones too, of an account in debt (docs/spec/money.md#refusals).
 * @throws HeadgateError `payment_required`.
 */
export function admitAccount({ account, funds }: Caller): void {
  if (isPrepaid(account) && funds.balance < 0n) throw negativeBalance();
}

/**
 * Refuses a paid request of a key that has used up its limit (docs/spec/money.md#refusals). What running requests
 * hold of it is judged later (docs/spec/money.md#held-limits).
 * @throws HeadgateError `payment_required`.
 */
export function admitKey({ key, spend }: Caller): void {
  // Asked first because summing windows costs something and most keys have no limit.
  if (key.limit !== null && limitRemaining(key, spend) === 0n) throw keyLimitReached(key);
}

function windowOf(windows: SpendWindows, key: ApiKey): NanoUsd {
  return key.limitReset === null ? windows.total : windows[key.limitReset];
}

/**
 * Refuses requests of a caller who has used up a budget of a guardrail or of the workspace (docs/spec/guardrails.md#budgets). What
 * running requests hold is judged later (docs/spec/money.md#held-limits).
 * @param now Unix milliseconds.
 * @throws HeadgateError `budget_exceeded` naming the broadest interval of the first kind of budget that is used up.
 */
export function admitBudgets({ budgets, calendar }: Pick<Caller, 'budgets' | 'calendar'>, now: number): void {
  if (budgets === undefined) return;
  const exceeded = budgets
    .map((budget) => ({ budget, spent: spentOf(budget) }))
    .filter(({ budget, spent }) => spent >= budget.limit)
    .sort(
      (one, other) =>
        budgetScopes.indexOf(one.budget.scope) - budgetScopes.indexOf(other.budget.scope) ||
        budgetIntervals.indexOf(other.budget.interval) - budgetIntervals.indexOf(one.budget.interval),
    );
  const [first] = exceeded;
  if (first !== undefined) throw budgetExceeded(first.budget, first.spent, calendar.windowsAt(now));
}

/** Whether a budget of a caller is used up by now. */
export function hasUsedUpBudget({ budgets }: Pick<Caller, 'budgets'>): boolean {
  return budgets?.some((budget) => spentOf(budget) >= budget.limit) === true;
}

function spentOf(budget: CallerBudget): NanoUsd {
  return spentOfBudget(budget, budget.spend());
}

/** What counts against a budget in its current interval. */
export function spentOfBudget(
  { interval, includeByok }: Pick<CallerBudget, 'interval' | 'includeByok'>,
  { usage, byokUsage }: KeySpend,
): NanoUsd {
  const window = interval === 'lifetime' ? 'total' : interval;
  return sumUsd(usage[window], includeByok ? byokUsage[window] : zeroUsd);
}

const owners: Readonly<Record<CallerBudget['scope'], string>> = {
  workspace_default_member: 'of each member of the workspace',
  workspace_default_key: 'of each key of the workspace',
  member: 'of the member',
  api_key: 'of the API key',
  workspace: 'of the workspace',
};

/** How refusals name a budget. */
export function nameOfBudget({ scope, interval }: Pick<CallerBudget, 'scope' | 'interval'>): string {
  return `the ${interval} budget ${owners[scope]}`;
}

/** The `limit_source` of refusals for a budget. */
export function sourceOfBudget({ scope }: Pick<CallerBudget, 'scope'>): string {
  return scope === 'workspace' ? 'service_workspace_budget' : 'service_guardrail_budget';
}

/** 403 for a budget that is used up. @param windows Those of the moment. */
export function budgetExceeded(budget: CallerBudget, spent: NanoUsd, windows: LimitWindows): HeadgateError {
  const { scope, interval, limit } = budget;
  const resetsAt = endOfInterval(interval, windows);
  const until = resetsAt === undefined ? '' : ` It begins anew at ${resetsAt}.`;
  return new HeadgateError(
    'budget_exceeded',
    `The ${interval} budget ${owners[scope]}, ${formatUsd(limit)} USD, is used up.${until}`,
    {
      metadata: {
        limit_source: sourceOfBudget(budget),
        scope,
        limit_usd: usdToNumber(limit),
        spend_usd: usdToNumber(spent),
        resets_at: resetsAt ?? null,
      },
    },
  );
}

/** When an interval ends, ISO 8601; undefined for one that never does. */
export function endOfInterval(interval: BudgetInterval, windows: LimitWindows): string | undefined {
  return interval === 'lifetime' ? undefined : isoTime(windows[interval].end);
}
