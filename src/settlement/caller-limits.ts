import type { HeadgateError } from '../core/errors.ts';
import { type NanoUsd, sumUsd, zeroUsd } from '../core/money.ts';
import type { BudgetInterval } from '../ports/budgets.ts';
import type { LimitShare } from '../ports/in-flight-budget.ts';
import { windowsAt } from '../util/utc-windows.ts';
import { spentOfLimit } from './admit.ts';
import { budgetExceeded, nameOfBudget, sourceOfBudget, spentOfBudget } from './admit-budgets.ts';
import type { Caller, CallerBudget } from './caller.ts';
import { keyLimitReached, limitReserved } from './refusals.ts';

/** A limit of what a caller may spend: a budget, or the limit of the key. */
export interface CallerLimit {
  /** Names it within its account. */
  readonly id: string;
  readonly limit: NanoUsd;
  /** Whether the list cost of what own provider credentials served counts. */
  readonly includeByok: boolean;
  readonly interval: BudgetInterval;
  /** What was spent of it in its window, as it is known at this moment. */
  readonly spent: () => NanoUsd;
  /** @param now Unix milliseconds. */
  readonly usedUp: (spent: NanoUsd, now: number) => HeadgateError;
  /** @param retryAfter In seconds. */
  readonly reserved: (spent: NanoUsd, retryAfter: number) => HeadgateError;
}

/** Whether anything limits what a caller may spend. */
export function hasLimits({ key, budgets }: Caller): boolean {
  return key.limit !== null || budgets !== undefined;
}

/** What a charge takes of each limit. @param byokCost The list cost of what an own credential served. */
export function sharesOf(
  limits: readonly CallerLimit[],
  charge: NanoUsd,
  { byokCost = zeroUsd, settledAt }: { readonly byokCost?: NanoUsd; readonly settledAt: number },
): readonly LimitShare[] {
  return limits.map(({ id, interval, includeByok }) => ({
    id,
    window: windowOf(interval, settledAt),
    amount: includeByok ? sumUsd(charge, byokCost) : charge,
  }));
}

/** The limits of a caller in the order in which they refuse: budgets, then that of the key; undefined without any. */
export function limitsOf(caller: Caller): readonly CallerLimit[] | undefined {
  if (!hasLimits(caller)) return undefined;
  const { key, budgets } = caller;
  const limits = new Map<string, CallerLimit>();
  for (const budget of budgets ?? []) {
    const limit = limitOfBudget(budget);
    const known = limits.get(limit.id);
    // Two guardrails may limit the same spending: what fits the smaller one fits both.
    if (known === undefined || limit.limit < known.limit) limits.set(limit.id, limit);
  }
  if (key.limit !== null) {
    const own = limitOfKey(caller, key.limit);
    limits.set(own.id, own);
  }
  return limits.size === 0 ? undefined : [...limits.values()];
}

/** The number of an interval's window that holds a moment in Unix milliseconds, for `LimitShare`. */
export function windowOf(interval: BudgetInterval, moment: number): number {
  if (interval === 'lifetime') return 0;
  const { day, week, month } = windowsAt(moment);
  return { daily: day, weekly: week, monthly: month }[interval].first;
}

function limitOfBudget(budget: CallerBudget): CallerLimit {
  const { scope, subject, interval, limit, includeByok } = budget;
  return {
    id: `${scope}/${subject}/${interval}${includeByok ? '+' : ''}`,
    limit,
    includeByok,
    interval,
    spent: () => spentOfBudget(budget, budget.spend()),
    usedUp: (spent, now) => budgetExceeded(budget, spent, now),
    reserved: (spent, retryAfter) =>
      limitReserved(nameOfBudget(budget), sourceOfBudget(budget), { limit, spent, retryAfter, scope }),
  };
}

function limitOfKey(caller: Caller, limit: NanoUsd): CallerLimit {
  const { key } = caller;
  const name =
    key.limitReset === null ? 'the limit of the API key' : `the ${key.limitReset} limit of the API key`;
  return {
    id: `limit/${key.hash}/${key.limitReset ?? 'lifetime'}${key.includeByokInLimit ? '+' : ''}`,
    limit,
    includeByok: key.includeByokInLimit,
    interval: key.limitReset ?? 'lifetime',
    spent: () => spentOfLimit(key, caller.spend),
    usedUp: () => keyLimitReached(key),
    reserved: (spent, retryAfter) => limitReserved(name, 'service_key_limit', { limit, spent, retryAfter }),
  };
}
