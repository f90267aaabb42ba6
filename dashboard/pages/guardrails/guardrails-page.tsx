import { useState } from 'preact/hooks';
import type { Guardrail } from '../../../clients/headgate-api.ts';
import { mayChange, principal } from '../../api/session-state.ts';
import { Icon } from '../../parts/icon.tsx';
import { ListTable } from '../../parts/list-table.tsx';
import { Money } from '../../parts/money.tsx';
import { Empty, Failed, Loading } from '../../parts/state.tsx';
import { TableTools } from '../../parts/table-tools.tsx';
import { go, href } from '../../state/url.ts';
import { many, nanoOf, plain } from '../../text/format.ts';
import { AllowedPhrases } from './allowed-phrases.tsx';
import { GuardrailDetail } from './guardrail-detail.tsx';
import { GuardrailForm } from './guardrail-form.tsx';
import './guardrails.css';
import type { Column } from '../../state/table-choices.ts';
import { AccountPlugins } from './account-plugins.tsx';
import { useGuardrails } from './queries.ts';
import { rulesOf } from './rules.ts';
import { TestBox } from './test-box.tsx';

const guardrailColumns: readonly Column[] = [
  { name: 'Guardrail', isFixed: true },
  { name: 'Rules' },
  { name: 'Budget', look: 'end wide' },
  { name: 'From', look: 'wide' },
];

/** Guardrails: what requests may use, spend and say. */
export function GuardrailsPage({ id }: { readonly id: string | undefined }) {
  if (id !== undefined) return <GuardrailDetail id={id} />;
  return <GuardrailListPage />;
}

function GuardrailListPage() {
  const found = useGuardrails();
  const [isMaking, setMaking] = useState(false);
  return (
    <div class="page">
      <div class="page-head">
        <h1 tabIndex={-1}>Guardrails & plugins</h1>
        <span class="gap" />
        {(found.data?.length ?? 0) > 0 && (
          <TableTools list="guardrails" columns={guardrailColumns} hasViews />
        )}
        {mayChange('guardrails') && (
          <button type="button" class="button primary" onClick={() => setMaking(true)}>
            <Icon name="plus" /> New guardrail
          </button>
        )}
      </div>
      <p class="muted">
        The guardrail of a workspace holds for all its keys; others are given to single keys or members and
        only make it stricter.
      </p>
      {found.error !== undefined && found.data === undefined ? (
        <Failed error={found.error} retry={found.reload} />
      ) : found.data === undefined ? (
        <Loading height={240} />
      ) : (
        <section class="card">
          {found.data.length === 0 ? (
            <Empty title="No guardrails yet">
              <p>Requests may use every model and provider, and nothing is filtered.</p>
            </Empty>
          ) : (
            <GuardrailTable guardrails={found.data} />
          )}
        </section>
      )}
      <TestBox guardrails={found.data ?? []} />
      <AllowedPhrases />
      <AccountPlugins />
      {isMaking && (
        <GuardrailForm onClose={() => setMaking(false)} onDone={(id) => go(href(`guardrails/${id}`))} />
      )}
    </div>
  );
}

function GuardrailTable({ guardrails }: { readonly guardrails: readonly Guardrail[] }) {
  const workspaces = new Map(principal.value?.workspaces.map(({ id, name }) => [id, name]));
  return (
    <ListTable list="guardrails" columns={guardrailColumns}>
      {guardrails.map((guardrail) => (
        <tr key={guardrail.id}>
          <td>
            <a href={href(`guardrails/${encodeURIComponent(guardrail.id)}`)} title={plain(guardrail.name)}>
              {plain(guardrail.name)}
            </a>
            {guardrail.mode === 'observe' && <span class="hint below">only observes</span>}
            {guardrail.description !== null && (
              <span class="hint cut below">{plain(guardrail.description)}</span>
            )}
          </td>
          <td>
            {many(
              rulesOf(guardrail).reduce((sum, { lines }) => sum + lines.length, 0),
              'rule',
            )}
          </td>
          <td class="end wide">
            {guardrail.limit_usd === null ? (
              <span class="muted">none</span>
            ) : (
              <>
                <Money nano={nanoOf(guardrail.limit_usd)} /> {guardrail.reset_interval ?? 'in all'}
              </>
            )}
          </td>
          <td class="wide">
            {guardrail.source === 'file'
              ? 'the configuration file'
              : plain(workspaces.get(guardrail.workspace_id ?? '') ?? 'the account')}
          </td>
        </tr>
      ))}
    </ListTable>
  );
}
