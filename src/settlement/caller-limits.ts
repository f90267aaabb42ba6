import type { HeadgateError } from '../core/errors.ts';
import type { SpendCalendar } from '../core/limit-calendar.ts';
import { type NanoUsd, sumUsd, zeroUsd } from '../core/money.ts';
import type { BudgetInterval } from '../ports/budgets.ts';
import type { LimitShare } from '../ports/in-flight-budget.ts';
import { dayLength } from '../util/utc-windows.ts';
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
  /** The number of its window that holds a moment in Unix milliseconds, for `LimitShare`. */
  readonly windowAt: (moment: number) => number;
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
  return limits.map(({ id, windowAt, includeByok }) => ({
    id,
    window: windowAt(settledAt),
    amount: includeByok ? sumUsd(charge, byokCost) : charge,
  }));
}

/** The limits of a caller in the order in which they refuse: budgets, then that of the key; undefined without any. */
export function limitsOf(caller: Caller): readonly CallerLimit[] | undefined {
  if (!hasLimits(caller)) return undefined;
  const { key, budgets } = caller;
  const limits = new Map<string, CallerLimit>();
  for (const budget of budgets ?? []) {
    const limit = limitOfBudget(budget, caller.calendar);
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

/** Windows are counted in UTC days from 1970, with a fraction where one begins within a day. */
function numberedBy(calendar: SpendCalendar, interval: BudgetInterval): CallerLimit['windowAt'] {
  if (interval === 'lifetime') return () => 0;
  return (moment) => calendar.windowsAt(moment)[interval].start / dayLength;
}

function limitOfBudget(budget: CallerBudget, calendar: SpendCalendar): CallerLimit {
  const { scope, subject, interval, limit, includeByok } = budget;
  return {
    id: `${scope}/${subject}/${interval}${includeByok ? '+' : ''}`,
    limit,
    includeByok,
    windowAt: numberedBy(calendar, interval),
    spent: () => spentOfBudget(budget, budget.spend()),
    usedUp: (spent, now) => budgetExceeded(budget, spent, calendar.windowsAt(now)),
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
    windowAt: numberedBy(caller.calendar, key.limitReset ?? 'lifetime'),
    spent: () => spentOfLimit(key, caller.spend),
    usedUp: () => keyLimitReached(key),
    reserved: (spent, retryAfter) => limitReserved(name, 'service_key_limit', { limit, spent, retryAfter }),
  };
}
