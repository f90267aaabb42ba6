import { useEffect, useState } from 'preact/hooks';
import type { AuditEntry } from '../../../clients/headgate-api.ts';
import { get } from '../../api/client.ts';
import { ExportMenu } from '../../parts/export-menu.tsx';
import { Empty, Failed, Loading } from '../../parts/state.tsx';
import { TableTools } from '../../parts/table-tools.tsx';
import { chosenRange } from '../../state/range.ts';
import { choice, choose } from '../../state/url.ts';
import { AuditTable, auditColumns } from './audit-table.tsx';

const pageLength = 50;
const objects = ['key', 'credential', 'workspace', 'credits', 'preset', 'account', 'session', 'secrets'];

/** Who changed what, from where, and what was refused. Nobody can change it. */
export function AuditPage() {
  const outcome = choice('outcome');
  const object = choice('object');
  const filters: Filters = {
    ...(outcome === 'ok' || outcome === 'refused' ? { outcome } : {}),
    ...(object === undefined ? {} : { object_type: object }),
  };
  const list = useEntries(filters);
  return (
    <div class="page">
      <div class="page-head">
        <h1 tabIndex={-1}>Audit log</h1>
        <span class="gap" />
        <select
          class="select inline"
          aria-label="Object"
          value={object ?? ''}
          onChange={({ currentTarget }) => choose({ object: currentTarget.value }, { replace: true })}
        >
          <option value="">All objects</option>
          {objects.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <select
          class="select inline"
          aria-label="Outcome"
          value={outcome ?? ''}
          onChange={({ currentTarget }) => choose({ outcome: currentTarget.value }, { replace: true })}
        >
          <option value="">Done and refused</option>
          <option value="ok">Done</option>
          <option value="refused">Refused</option>
        </select>
        <TableTools list="audit" columns={auditColumns} hasViews />
        <ExportMenu path="audit/export" query={() => ({ ...filters, ...bounds() })} name="audit" />
      </div>
      {list.error !== undefined && list.entries.length === 0 ? (
        <Failed error={list.error} retry={list.reload} />
      ) : list.isLoading && list.entries.length === 0 ? (
        <Loading height={420} />
      ) : (
        <section class="card">
          {list.entries.length === 0 ? (
            <Empty title="No entries in this range">
              <button
                type="button"
                class="button small"
                onClick={() =>
                  choose({
                    range: '90d',
                    from: undefined,
                    to: undefined,
                    object: undefined,
                    outcome: undefined,
                  })
                }
              >
                Show all of 90 days
              </button>
            </Empty>
          ) : (
            <AuditTable entries={list.entries} />
          )}
          {list.next !== null && (
            <div class="list-end">
              <button type="button" class="button small" disabled={list.isLoading} onClick={list.older}>
                {list.isLoading ? 'Reading…' : 'Older'}
              </button>
            </div>
          )}
        </section>
      )}
    </div>
  );
}

interface Filters {
  readonly outcome?: 'ok' | 'refused';
  readonly object_type?: string;
}

interface State {
  readonly entries: readonly AuditEntry[];
  readonly next: string | null;
  readonly isLoading: boolean;
  readonly error: Error | undefined;
}

const start: State = { entries: [], next: null, isLoading: true, error: undefined };

/** The chosen range of this moment. */
function bounds() {
  const { from, to } = chosenRange();
  return { from, to };
}

/** Reads entries part after part, newest first. */
function useEntries(filters: Filters) {
  const [state, setState] = useState(start);
  const [attempt, setAttempt] = useState(0);
  const range = chosenRange();
  const name = JSON.stringify([filters, range.name === 'custom' ? [range.from, range.to] : range.name]);
  const read = (cursor: string | null, before: readonly AuditEntry[], signal?: AbortSignal) => {
    setState((earlier) => ({ ...earlier, isLoading: true, error: undefined }));
    const query = { ...filters, ...bounds(), limit: pageLength, ...(cursor === null ? {} : { cursor }) };
    get('/audit', { query, signal }).then(
      ({ data, next }) => setState({ ...start, isLoading: false, entries: [...before, ...data], next }),
      (error: Error) => {
        if (signal?.aborted !== true) setState((earlier) => ({ ...earlier, isLoading: false, error }));
      },
    );
  };
  useEffect(() => {
    const abort = new AbortController();
    setState(start);
    read(null, [], abort.signal);
    return () => abort.abort();
  }, [name, attempt]);
  return {
    ...state,
    older: () => read(state.next, state.entries),
    reload: () => setAttempt(attempt + 1),
  };
}
