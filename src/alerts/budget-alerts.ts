import { type NanoUsd, usdToNumber } from '../core/money.ts';
import type { NewAlert } from '../ports/alerts.ts';
import type { BudgetLimit } from '../ports/budgets.ts';
import type { StoredCaller } from '../ports/callers.ts';
import { spentOfBudget } from '../settlement/admit.ts';
import { isoTime } from '../util/iso-time.ts';
import { dayLength } from '../util/utc-windows.ts';
import type { AlertRules } from './alert-rules.ts';
import { afterwards, newAlert } from './new-alert.ts';
import { crossedOf, type Moment } from './thresholds.ts';

/** The subject of alerts about a budget. Users of two accounts may have one name, so the account is part of it. */
export function budgetSubject({ account }: Pick<StoredCaller, 'account'>, budget: BudgetLimit): string {
  return `budget ${account.id} ${budget.subject}`;
}

/**
 * Compares the budgets of guardrails and of the workspace that limit a caller with the thresholds
 * (docs/spec/alerts.md#thresholds). A budget of zero lets nothing through and is not reported.
 */
export function budgetAlerts(
  caller: StoredCaller,
  { thresholds }: AlertRules,
  moment: Moment,
): readonly NewAlert[] {
  return (caller.budgets ?? []).flatMap((budget) => {
    const spend = caller.spends?.get(budget.subject);
    if (spend === undefined || budget.limit === 0n) return [];
    const spent = spentOfBudget(budget, spend);
    return crossedOf(thresholds, spent, budget.limit).map((threshold) =>
      budgetAlert(caller, budget, { spent, threshold, moment }),
    );
  });
}

/** A limit that was changed is another window. */
function budgetAlert(
  caller: StoredCaller,
  budget: BudgetLimit,
  {
    spent,
    threshold,
    moment,
  }: { readonly spent: NanoUsd; readonly threshold: number; readonly moment: Moment },
): NewAlert {
  const { scope, interval, limit } = budget;
  const { now, windows } = moment;
  const window = interval === 'lifetime' ? undefined : windows[interval];
  const place = {
    subject: budgetSubject(caller, budget),
    threshold: String(threshold),
    window: `${scope} ${limit} ${interval} ${(window?.start ?? 0) / dayLength}`,
  };
  const { id: accountId } = caller.account;
  return newAlert(place, {
    type: 'budget.limit',
    now,
    expiresAt: window === undefined ? null : window.end + afterwards,
    data: {
      account_id: accountId,
      workspace_id: caller.key.workspaceId,
      object: { type: 'budget', scope, interval, ...ownerOf(budget) },
      threshold,
      limit_usd: usdToNumber(limit),
      spend_usd: usdToNumber(spent),
      resets_at: window === undefined ? null : isoTime(window.end),
    },
  });
}

/** Whose spending counts, by the kind of it and its id. */
function ownerOf({ subject }: BudgetLimit) {
  const colon = subject.indexOf(':');
  return { of: subject.slice(0, colon), id: subject.slice(colon + 1) };
}
