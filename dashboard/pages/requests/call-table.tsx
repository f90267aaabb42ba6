import { ListTable } from '../../parts/list-table.tsx';
import { Money } from '../../parts/money.tsx';
import { Empty, Failed, Loading } from '../../parts/state.tsx';
import { zone } from '../../state/preferences.ts';
import type { Column } from '../../state/table-choices.ts';
import { choose, href } from '../../state/url.ts';
import { count, duration, exactUsd, many, plain, short, usd } from '../../text/format.ts';
import { clock, exactTime } from '../../text/time.ts';
import { filterFields } from './filters.ts';
import { Outcome } from './outcome.tsx';
import type { CallRow, Calls } from './use-calls.ts';

/** The columns of the list, in their places. */
export const callColumns: readonly Column[] = [
  { name: 'Time', isFixed: true },
  { name: 'Outcome', isFixed: true },
  { name: 'Model', look: 'wide' },
  { name: 'Provider', look: 'wide provider' },
  { name: 'Key', look: 'wide roomy' },
  { name: 'First token', look: 'end wide roomy' },
  { name: 'Total', look: 'end wide roomy' },
  { name: 'In / cached / out', look: 'end wide roomy', title: 'Input, of it read from a cache, and output' },
  { name: 'Cost', look: 'end' },
  { name: 'Requested model', isExtra: true, look: 'wide roomy' },
  { name: 'Endpoint', isExtra: true, look: 'wide roomy' },
  { name: 'Delivery', isExtra: true, look: 'wide roomy' },
  { name: 'Request', isExtra: true, look: 'wide roomy' },
];

interface CallTableProps {
  readonly calls: Calls;
  readonly filters: Readonly<Record<string, string>>;
  readonly selected: string | undefined;
  readonly onOpen: (id: string) => void;
}

/** The calls, newest first. */
export function CallTable({ calls, filters, selected, onOpen }: CallTableProps) {
  const { rows, isLoading, error } = calls;
  if (error !== undefined && rows.length === 0) return <Failed error={error} retry={calls.reload} />;
  if (isLoading && rows.length === 0) return <Loading height={480} />;
  if (rows.length === 0) return <NoCalls calls={calls} isFiltered={Object.keys(filters).length > 0} />;
  return (
    <section class="card calls" aria-label="Requests">
      {calls.newer > 0 ? (
        <button type="button" class="button plain newer" onClick={calls.showNewer}>
          {many(calls.newer, 'newer request')}, show
        </button>
      ) : (
        <p class="newer hint">Newest first</p>
      )}
      <ListTable list="requests" columns={callColumns} class="clickable">
        {rows.map((row) => (
          <Row key={row.id} row={row} isSelected={row.id === selected} filters={filters} onOpen={onOpen} />
        ))}
      </ListTable>
      <End calls={calls} />
    </section>
  );
}

interface RowProps {
  readonly row: CallRow;
  readonly isSelected: boolean;
  readonly filters: Readonly<Record<string, string>>;
  readonly onOpen: (id: string) => void;
}

function Row({ row, isSelected, filters, onOpen }: RowProps) {
  const { id, settled_at: time } = row;
  return (
    <tr
      id={id}
      aria-selected={isSelected}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey) return;
        event.preventDefault();
        onOpen(id);
      }}
    >
      <td title={exactTime(time, zone())} data-exact={time}>
        <a class="number" href={href(`requests/${encodeURIComponent(id)}`, filters)}>
          {clock(time, zone())}
        </a>
        <span class="model-below cut muted">{plain(row.model ?? row.requested_model)}</span>
      </td>
      <td>
        <Outcome row={row} isShort />
      </td>
      <td class="wide narrow" title={plain(row.model ?? row.requested_model)}>
        {plain(row.model ?? row.requested_model)}
      </td>
      <td class="wide narrow provider">
        {row.provider_name ?? (
          <span class="muted">{row.attempts === 0 ? 'none asked' : `${row.attempts} tried`}</span>
        )}
        {row.provider_name !== null && row.attempts > 1 && (
          <span class="muted"> (attempt {row.attempts})</span>
        )}
      </td>
      <td class="wide roomy narrow" title={plain(row.key_label)}>
        {plain(row.key_label)}
      </td>
      <td class="end wide roomy">{row.first_token_ms === null ? '–' : duration(row.first_token_ms)}</td>
      <td class="end wide roomy">{duration(row.total_ms)}</td>
      <td class="end wide roomy" title={tokensOf(row, count)} data-exact={tokensOf(row, String)}>
        {tokensOf(row, short)}
      </td>
      <td class="end">
        <Cost row={row} />
      </td>
      <td class="wide roomy narrow" title={plain(row.requested_model)}>
        {plain(row.requested_model)}
      </td>
      <td class="wide roomy narrow">{row.endpoint === null ? '–' : plain(row.endpoint)}</td>
      <td class="wide roomy">{row.streamed ? 'streamed' : 'in one piece'}</td>
      <td class="wide roomy narrow" title={row.request_id}>
        <code>{row.request_id}</code>
      </td>
    </tr>
  );
}

/** What was charged; for an own credential, beside it what the provider charges by its list price. */
function Cost({ row }: Pick<RowProps, 'row'>) {
  if (row.unpriced) return <span class="warn">no price</span>;
  return (
    <>
      <Money nano={row.cost_nano} />
      {row.own_credential && (
        <span
          class="below muted"
          title={`The provider charges ${exactUsd(row.list_cost_nano)} by its list price`}
        >
          list {usd(row.list_cost_nano)}
        </span>
      )}
    </>
  );
}

function tokensOf(
  { input_tokens: input, cached_tokens: cached, output_tokens: output }: CallRow,
  written: (value: number) => string,
): string {
  if (input === null && output === null) return '–';
  return [input, cached, output].map((value) => (value === null ? '–' : written(value))).join(' / ');
}

function End({ calls }: { readonly calls: Calls }) {
  if (calls.error !== undefined) return <Failed error={calls.error} retry={calls.older} />;
  return (
    <div class="list-end">
      {calls.isComplete ? (
        <span class="hint">No more requests in this range.</span>
      ) : (
        <>
          <button type="button" class="button small" disabled={calls.isLoading} onClick={calls.older}>
            {calls.isLoading ? 'Reading…' : 'Older'}
          </button>
          {calls.searchedTo !== undefined && (
            <span class="hint">searched back to {clock(calls.searchedTo, zone())}</span>
          )}
        </>
      )}
    </div>
  );
}

function NoCalls({ calls, isFiltered }: { readonly calls: Calls; readonly isFiltered: boolean }) {
  const clear = Object.fromEntries(filterFields.map(({ name }) => [name, undefined]));
  return (
    <section class="card">
      <Empty title={isFiltered ? 'No request matches' : 'No requests in this range'}>
        {!calls.isComplete && calls.searchedTo !== undefined && (
          <>
            <p>Searched back to {exactTime(calls.searchedTo, zone())}.</p>
            <button type="button" class="button small" onClick={calls.older}>
              Search further back
            </button>
          </>
        )}
        {isFiltered && (
          <button type="button" class="button small" onClick={() => choose(clear)}>
            Clear filters
          </button>
        )}
        <button
          type="button"
          class="button small"
          onClick={() => choose({ range: '30d', from: undefined, to: undefined })}
        >
          Show 30 days
        </button>
      </Empty>
    </section>
  );
}
