import { useState } from 'preact/hooks';
import type { SpendingLimit } from '../../../clients/headgate-api.ts';
import { get } from '../../api/client.ts';
import { mayChange, mayRead } from '../../api/session-state.ts';
import { Icon } from '../../parts/icon.tsx';
import { ListTable } from '../../parts/list-table.tsx';
import { Money } from '../../parts/money.tsx';
import { Failed, Loading } from '../../parts/state.tsx';
import { TableTools } from '../../parts/table-tools.tsx';
import { zone } from '../../state/preferences.ts';
import { useQuery } from '../../state/query.ts';
import { go, href } from '../../state/url.ts';
import { lastWeek, useSeries } from '../../state/usage.ts';
import { count, plain } from '../../text/format.ts';
import { fullDay } from '../../text/time.ts';
import { OrganizationMembers } from './organization-members.tsx';
import { useWorkspaces, type Workspace } from './queries.ts';
import { WorkspaceDetail } from './workspace-detail.tsx';
import { WorkspaceForm } from './workspace-form.tsx';
import './workspaces.css';
import type { Column } from '../../state/table-choices.ts';

const workspaceColumns: readonly Column[] = [
  { name: 'Workspace', isFixed: true },
  { name: 'Spend, 7 days', look: 'end' },
  { name: 'Nearest budget', look: 'end wide' },
  { name: 'Requests, 7 days', look: 'end wide' },
  { name: 'Created', look: 'end wide' },
];

/** Workspaces: what they spend, what they may spend, who is in them. */
export function WorkspacesPage({ id }: { readonly id: string | undefined }) {
  if (id !== undefined) return <WorkspaceDetail id={id} />;
  return <WorkspaceListPage />;
}

function WorkspaceListPage() {
  const found = useWorkspaces();
  const [isMaking, setMaking] = useState(false);
  return (
    <div class="page">
      <div class="page-head">
        <h1 tabIndex={-1}>Workspaces & members</h1>
        <span class="gap" />
        <TableTools list="workspaces" columns={workspaceColumns} hasViews />
        {mayChange('workspaces') && (
          <button type="button" class="button primary" onClick={() => setMaking(true)}>
            <Icon name="plus" /> New workspace
          </button>
        )}
      </div>
      <p class="muted">
        Keys, credentials and guardrails belong to a workspace. Budgets limit what its keys spend together.
      </p>
      {found.error !== undefined && found.data === undefined ? (
        <Failed error={found.error} retry={found.reload} />
      ) : found.data === undefined ? (
        <Loading height={240} />
      ) : (
        <section class="card">
          <WorkspaceTable workspaces={found.data} />
        </section>
      )}
      {mayRead('members') && <OrganizationMembers />}
      {isMaking && (
        <WorkspaceForm onClose={() => setMaking(false)} onDone={(id) => go(href(`workspaces/${id}`))} />
      )}
    </div>
  );
}

function WorkspaceTable({ workspaces }: { readonly workspaces: readonly Workspace[] }) {
  const week = useSeries({ group: 'workspace', bucket: 'all', top: 50 }, lastWeek);
  const limits = useQuery(['budgets'], async (signal) => (await get('/budgets', { signal })).data, {
    enabled: mayRead('billing'),
  });
  // Those that are used up most come first.
  const budgets = limits.data ?? [];
  const used = new Map((week.data?.groups ?? []).map(({ value, totals }) => [value, totals]));
  return (
    <ListTable list="workspaces" columns={workspaceColumns}>
      {workspaces.map(({ id, name, slug, description, created_at: created }) => (
        <tr key={id}>
          <td>
            <a href={href(`workspaces/${id}`)} title={plain(name)}>
              {plain(name)}
            </a>{' '}
            <code class="muted">{slug}</code>
            {description !== null && <span class="hint cut below">{plain(description)}</span>}
          </td>
          <td class="end">
            <Money nano={used.get(id)?.cost_nano ?? '0'} />
          </td>
          <td class="end wide">
            <NearestBudget
              budget={budgets.find(({ scope, subject }) => scope === 'workspace' && subject === id)}
            />
          </td>
          <td class="end wide">{count(used.get(id)?.requests ?? 0)}</td>
          <td class="end wide">{fullDay(created, zone())}</td>
        </tr>
      ))}
    </ListTable>
  );
}

/** What is left of the budget of a workspace that is used up most. */
function NearestBudget({ budget }: { readonly budget: SpendingLimit | undefined }) {
  if (budget === undefined) return <span class="muted">none</span>;
  const left = BigInt(budget.limit_nano) - BigInt(budget.spent_nano);
  return (
    <>
      <Money nano={left > 0n ? left : 0n} /> left of <Money nano={budget.limit_nano} />{' '}
      {budget.reset_interval ?? 'in all'}
    </>
  );
}
