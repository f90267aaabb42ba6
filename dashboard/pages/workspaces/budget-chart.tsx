import { BurnDownCard } from '../../charts/burn-down-card.tsx';
import { limitWindow } from '../../state/resets-at.ts';
import { choice, choose } from '../../state/url.ts';
import { nanoOf } from '../../text/format.ts';
import { useBudgets, useSpent, type Workspace } from './queries.ts';

/** How a budget of the workspace is used up; which one is in the address, at first the one with the longest window. */
export function BudgetChart({ workspace }: { readonly workspace: Workspace }) {
  const budgets = useBudgets(workspace.id).data;
  const known = budgets?.data.toSorted((one, other) => orderOf(one) - orderOf(other)) ?? [];
  const asked = choice('budget');
  const budget = known.find(({ reset_interval: reset }) => (reset ?? 'lifetime') === asked) ?? known[0];
  if (budgets === undefined || budget === undefined) return null;
  return (
    <Chart
      workspace={workspace}
      budget={budget}
      includesOwn={budgets.include_byok_in_budgets}
      all={known.map(({ reset_interval: reset }) => reset ?? 'lifetime')}
    />
  );
}

interface Budget {
  readonly limit_usd: number;
  readonly reset_interval: string | null;
}

const windows = ['monthly', 'weekly', 'daily'];

/** The longest window first; what never resets is last. */
function orderOf({ reset_interval: reset }: Budget): number {
  return reset === null ? windows.length : windows.indexOf(reset);
}

interface ChartProps {
  readonly workspace: Workspace;
  readonly budget: Budget;
  readonly includesOwn: boolean;
  /** The intervals of all budgets. */
  readonly all: readonly string[];
}

function Chart({ workspace, budget, includesOwn, all }: ChartProps) {
  const reset = limitWindow(budget.reset_interval);
  const spent = useSpent(workspace, reset, includesOwn);
  // What was spent in all is only needed where no window resets.
  if (spent === undefined && reset === null) return null;
  return (
    <BurnDownCard
      title="What is left of the budget"
      value={{
        limit: nanoOf(budget.limit_usd),
        reset,
        includesOwn,
        spent: spent ?? 0n,
        of: { workspace: workspace.id },
      }}
      controls={
        all.length > 1 && (
          <select
            class="select"
            aria-label="Which budget"
            value={reset ?? 'lifetime'}
            onChange={({ currentTarget }) => choose({ budget: currentTarget.value }, { replace: true })}
          >
            {all.map((interval) => (
              <option key={interval} value={interval}>
                {interval}
              </option>
            ))}
          </select>
        )
      }
    />
  );
}
