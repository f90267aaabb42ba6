import { nanoFromInteger, usdToNumber } from '../core/money.ts';
import type { NearLimit } from '../operations/budgets/near-limits.ts';
import { budgetIntervals } from '../ports/budgets.ts';
import type { Static } from '../util/json-schema.ts';
import type { KeyBudget } from './schemas/keys.ts';

type ShownBudget = Static<typeof KeyBudget>;

/** What a request of a key has to fit, in the order in which it is checked, and what would refuse it first. */
export interface ShownBudgets {
  readonly budgets: readonly ShownBudget[];
  readonly effective_budget: ShownBudget | null;
}

/** The limits of a key: budgets of guardrails and of the workspace, and its own (docs/spec/accounts.md#key-information). */
export function describeBudgets(limits: readonly NearLimit[]): ShownBudgets {
  const own = limits.filter(({ scope }) => scope === 'key');
  const others = limits.filter(({ scope }) => scope !== 'key');
  const budgets = [...others.toSorted(broadestFirst), ...own].map(showBudget);
  const spent = budgets.find(({ remaining_usd: left }) => left <= 0);
  const least = budgets.toSorted((one, other) => one.remaining_usd - other.remaining_usd)[0];
  return { budgets, effective_budget: spent ?? least ?? null };
}

/** Of budgets of one kind the one of the broadest interval refuses first; the order of kinds stays. */
function broadestFirst(one: NearLimit, other: NearLimit): number {
  if (one.scope !== other.scope) return 0;
  return budgetIntervals.indexOf(other.interval) - budgetIntervals.indexOf(one.interval);
}

function showBudget({
  scope,
  source,
  interval,
  limit,
  spent,
  includeByok,
  resetsAt,
}: NearLimit): ShownBudget {
  return {
    scope: scope === 'key' ? 'key_limit' : scope,
    budget_id: scope === 'workspace' ? source : null,
    guardrail_id: scope === 'workspace' || scope === 'key' ? null : source,
    limit_usd: usdToNumber(limit),
    spend_usd: usdToNumber(spent),
    remaining_usd: usdToNumber(nanoFromInteger(limit - spent)),
    include_byok: includeByok,
    reset_interval: interval === 'lifetime' ? null : interval,
    resets_at: resetsAt ?? null,
  };
}
