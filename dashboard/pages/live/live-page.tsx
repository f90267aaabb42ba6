import { useRef, useState } from 'preact/hooks';
import type { LiveRequest } from '../../../clients/headgate-api.ts';
import { mayChange, principal } from '../../api/session-state.ts';
import { AccountsChoice } from '../../parts/accounts-choice.tsx';
import { Empty, Loading } from '../../parts/state.tsx';
import { TableTools } from '../../parts/table-tools.tsx';
import { isOfAllAccounts } from '../../state/all-accounts.ts';
import { choice, choose } from '../../state/url.ts';
import { many } from '../../text/format.ts';
import { inOrder } from './live-state.ts';
import { LiveTable, liveColumns } from './live-table.tsx';
import './live.css';
import { StopRequest } from './stop-request.tsx';
import { useLive } from './use-live.ts';

/** Requests as they run. */
export function LivePage() {
  const [isPaused, setPaused] = useState(false);
  const [stopping, setStopping] = useState<LiveRequest>();
  const isOver = useRef(false);
  const { role } = principal.value ?? {};
  const all = isOfAllAccounts();
  const newestFirst = choice('order') === 'newest';
  const { state, failure } = useLive(queryOf(all), () => isPaused || isOver.current);
  const rows = inOrder(state, newestFirst);
  return (
    <div class="page">
      <div class="page-head">
        <h1 tabIndex={-1}>Live</h1>
        <span class="gap" />
        <AccountsChoice label="Whose requests" />
        <select
          class="select inline"
          aria-label="Order"
          value={newestFirst ? 'newest' : ''}
          onChange={({ currentTarget }) => choose({ order: currentTarget.value }, { replace: true })}
        >
          <option value="">Longest first</option>
          <option value="newest">Newest first</option>
        </select>
        <TableTools list="live" columns={liveColumns} hasViews />
        <button type="button" class="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? 'Go on' : 'Pause'}
        </button>
      </div>
      {state.counts !== undefined && (
        <p class="live-counts">
          <strong>{many(state.counts.running, 'request')}</strong> running, {state.counts.streams} streamed ·
          in the last minute {state.counts.done} done, {state.counts.failed} failed or stopped
          {state.lost > 0 && ` · ${many(state.lost, 'update')} skipped, this page was too slow`}
        </p>
      )}
      {failure !== undefined && (
        <p class="note warn" role="status">
          {failure}
        </p>
      )}
      {state.counts === undefined ? (
        failure === undefined && <Loading height={320} />
      ) : rows.length === 0 ? (
        <section class="card">
          <Empty title="Nothing runs at the moment">
            <p>Requests appear here while they are answered, and stay ten seconds longer.</p>
          </Empty>
        </section>
      ) : (
        <section
          class="card"
          onPointerEnter={() => {
            isOver.current = true;
          }}
          onPointerLeave={() => {
            isOver.current = false;
          }}
        >
          <LiveTable
            rows={rows}
            now={Date.now() + state.offset}
            onStop={role !== 'key' && mayChange('workspace') ? setStopping : undefined}
          />
        </section>
      )}
      <p class="hint">
        {role === 'operator' &&
          'Processes that share Redis show their requests together; without it each shows its own. '}
        The list waits while the pointer rests on it.
      </p>
      {stopping !== undefined && <StopRequest row={stopping} onClose={() => setStopping(undefined)} />}
    </div>
  );
}

function queryOf(all: boolean): Readonly<Record<string, string>> {
  const workspace = choice('workspace');
  return {
    ...(all ? { all_accounts: 'true' } : {}),
    ...(workspace === undefined || all ? {} : { workspace }),
  };
}
