import { useState } from 'preact/hooks';
import type { WorkspaceBudgetList } from '../../../clients/headgate-api.ts';
import { mayChange } from '../../api/session-state.ts';
import { LimitBar } from '../../parts/limit-bar.tsx';
import { Money } from '../../parts/money.tsx';
import { Failed, Loading } from '../../parts/state.tsx';
import { limitCalendar, limitZone } from '../../state/limit-calendar.ts';
import { zone } from '../../state/preferences.ts';
import { limitWindow, resetsAt } from '../../state/resets-at.ts';
import { nanoOf } from '../../text/format.ts';
import { resetWords } from '../../text/reset-words.ts';
import { BudgetForm } from './budget-form.tsx';
import { type Interval, intervals } from './budget-order.ts';
import { useBudgets, useSpent, type Workspace } from './queries.ts';

type Budget = WorkspaceBudgetList['data'][number];

/** What the keys of a workspace may spend together, and what they spent. */
export function Budgets({ workspace }: { readonly workspace: Workspace }) {
  const [isEditing, setEditing] = useState(false);
  const { data, error, reload } = useBudgets(workspace.id);
  return (
    <section class="card padded stack">
      <div class="row">
        <h2>Budgets</h2>
        <span class="gap" />
        {mayChange('workspace') && data !== undefined && (
          <button type="button" class="button small" onClick={() => setEditing(true)}>
            Change
          </button>
        )}
      </div>
      {error !== undefined && data === undefined ? (
        <Failed error={error} retry={reload} />
      ) : data === undefined ? (
        <Loading />
      ) : data.data.length === 0 ? (
        <p class="muted">None: its keys may spend what their own limits and the credits allow.</p>
      ) : (
        <>
          {intervals.map((interval) => {
            const budget = data.data.find(({ reset_interval: reset }) => (reset ?? 'lifetime') === interval);
            return (
              budget !== undefined && (
                <Row
                  key={interval}
                  interval={interval}
                  budget={budget}
                  includesOwn={data.include_byok_in_budgets}
                  workspace={workspace}
                />
              )
            );
          })}
          <p class="hint">
            {data.include_byok_in_budgets
              ? 'What own credentials serve counts at its list price.'
              : 'What own credentials serve does not count.'}
          </p>
        </>
      )}
      {isEditing && data !== undefined && (
        <BudgetForm
          workspace={workspace.id}
          stored={data}
          onClose={() => {
            setEditing(false);
            reload();
          }}
        />
      )}
    </section>
  );
}

interface RowProps {
  readonly interval: Interval;
  readonly budget: Budget;
  readonly includesOwn: boolean;
  readonly workspace: Workspace;
}

function Row({ interval, budget, includesOwn, workspace }: RowProps) {
  const now = Date.now();
  const limit = nanoOf(budget.limit_usd);
  const spent = useSpent(workspace, limitWindow(budget.reset_interval), includesOwn);
  const next = resetsAt(budget.reset_interval, now, limitCalendar.value);
  return (
    <div class="budget-row">
      <div class="row">
        <strong>{interval}</strong>
        <span class="number">
          {spent !== undefined && <Money nano={spent} />} of <Money nano={limit} />
        </span>
      </div>
      <LimitBar
        used={spent === undefined ? 0 : Number((spent * 1_000_000n) / limit) / 1_000_000}
        label={`Used part of the ${interval} budget`}
      />
      <span class="hint">
        {next === undefined ? 'never resets' : resetWords(next, now, zone(), limitZone.value)}
      </span>
    </div>
  );
}
