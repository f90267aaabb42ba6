import { useEffect, useRef, useState } from 'preact/hooks';
import { TableTools } from '../../parts/table-tools.tsx';
import { isShortcut } from '../../state/typing.ts';
import { choice, go, href, params } from '../../state/url.ts';
import { CallTable, callColumns } from './call-table.tsx';
import { Detail } from './detail.tsx';
import { ExportMenu } from './export-menu.tsx';
import { FilterBar } from './filter-bar.tsx';
import { readFilters } from './filters.ts';
import './requests.css';
import { RowActions } from './row-actions.tsx';
import { SearchBox } from './search-box.tsx';
import { useCalls } from './use-calls.ts';
import { Volume } from './volume.tsx';

/** Every request, filtered; and all that is known of the one that is open. */
export function RequestsPage({ id }: { readonly id: string | undefined }) {
  const filters = readFilters(params.value);
  const workspace = choice('workspace');
  const all = workspace === undefined ? filters : { ...filters, workspace };
  const calls = useCalls(all);
  const open = (next: string | undefined) =>
    go(href(next === undefined ? 'requests' : `requests/${encodeURIComponent(next)}`, filters), {
      replace: id !== undefined && next !== undefined,
    });
  const at = calls.rows.findIndex((row) => row.id === id);
  const [marked, setMarked] = useState<string>();
  const current = id ?? marked;
  const step = (by: number) => {
    const place = calls.rows.findIndex((row) => row.id === current);
    const next = calls.rows[Math.max(0, place + by)];
    if (next === undefined) {
      if (!calls.isComplete && !calls.isLoading) calls.older();
      return;
    }
    setMarked(next.id);
    if (id !== undefined) open(next.id);
    document.getElementById(next.id)?.scrollIntoView({ block: 'nearest' });
  };
  useRowKeys({
    next: () => step(1),
    previous: () => step(-1),
    open: () => current !== undefined && open(current),
    close: () => id !== undefined && open(undefined),
  });
  return (
    <div class={`page requests${id === undefined ? '' : ' with-detail'}`} data-own-row-keys>
      <div class="page-head">
        <h1 tabIndex={-1}>Requests</h1>
        <span class="gap" />
        <SearchBox onFind={open} />
        <TableTools list="requests" columns={callColumns} hasViews />
        <ExportMenu filters={all} />
      </div>
      <FilterBar filters={filters} />
      {filters.outcome === 'refused' ? (
        <p class="hint">Sums and charts count calls, not requests that were turned away.</p>
      ) : (
        <Volume filters={filters} />
      )}
      <div class="list-and-detail">
        <RowActions row={calls.rows.find((row) => row.id === current)} filters={filters} />
        <CallTable calls={calls} filters={filters} selected={current} onOpen={open} />
        {id !== undefined && (
          <Detail
            key={id}
            id={id}
            onClose={() => open(undefined)}
            {...(at > 0 ? { onPrevious: () => step(-1) } : {})}
            {...(at >= 0 && at < calls.rows.length - 1 ? { onNext: () => step(1) } : {})}
          />
        )}
      </div>
    </div>
  );
}

interface RowKeys {
  readonly next: () => void;
  readonly previous: () => void;
  readonly open: () => void;
  readonly close: () => void;
}

/** Keys that walk the list. */
function useRowKeys(keys: RowKeys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!isShortcut(event)) return;
      const isOnControl =
        event.target instanceof Element && event.target.closest('a, button, [role=group]') !== null;
      if (event.key === 'Enter' && isOnControl) return;
      const { next, previous, open, close } = latest.current;
      const byKey: Readonly<Record<string, () => void>> = {
        j: next,
        ']': next,
        k: previous,
        '[': previous,
        Enter: open,
        Escape: close,
      };
      byKey[event.key]?.();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}
