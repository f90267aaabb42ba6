import type { LiveRequest } from '../../../clients/headgate-api.ts';
import { get } from '../../api/client.ts';
import { principal } from '../../api/session-state.ts';
import { ListTable } from '../../parts/list-table.tsx';
import { Money } from '../../parts/money.tsx';
import { State } from '../../parts/state.tsx';
import { useKeyList } from '../../state/keys.ts';
import { useQuery } from '../../state/query.ts';
import type { Column } from '../../state/table-choices.ts';
import { href } from '../../state/url.ts';
import { count, duration, plain, short } from '../../text/format.ts';
import { speedOf } from './live-state.ts';

/** The columns of running requests, in their places. */
export const liveColumns: readonly Column[] = [
  { name: 'Model', isFixed: true },
  { name: 'Age', look: 'end' },
  { name: 'Key', look: 'wide' },
  { name: 'Provider', look: 'wide' },
  { name: 'Phase' },
  { name: 'Output', look: 'end wide' },
  { name: 'tok/s', look: 'end wide' },
  { name: 'Cost', look: 'end wide' },
];

interface LiveTableProps {
  readonly rows: readonly LiveRequest[];
  /** The server's clock, Unix milliseconds. */
  readonly now: number;
  /** Undefined where nothing may be stopped. */
  readonly onStop: ((row: LiveRequest) => void) | undefined;
}

/** A line for each running request, and for those that ended a moment ago. */
export function LiveTable({ rows, now, onStop }: LiveTableProps) {
  const keys = useKeyList(60_000);
  const providers = useQuery(['providers'], (signal) => get('/providers', { signal })).data?.data ?? [];
  const providerNames = new Map(providers.map(({ slug, name }) => [slug, name]));
  const names = new Map((keys.data ?? []).map(({ hash, name }) => [hash, name]));
  const isShared = new Set(rows.map(({ process }) => process)).size > 1;
  return (
    <ListTable list="live" columns={liveColumns} class="fluid live" hasActions={onStop !== undefined}>
      {rows.map((row) => (
        <Row
          key={row.id}
          row={row}
          now={now}
          name={names.get(row.key_hash)}
          provider={providerNames.get(row.provider ?? '')}
          showsProcess={isShared}
          onStop={onStop}
        />
      ))}
    </ListTable>
  );
}

interface RowProps extends Pick<LiveTableProps, 'now' | 'onStop'> {
  readonly row: LiveRequest;
  /** Of its key; undefined for a key of another account. */
  readonly name: string | undefined;
  /** The name of its provider; undefined until it is known. */
  readonly provider: string | undefined;
  /** Whether several processes run what is shown. */
  readonly showsProcess: boolean;
}

function Row({ row, now, name, provider, showsProcess, onStop }: RowProps) {
  const end = row.ended_at === null ? now : Date.parse(row.ended_at);
  const age = Math.max(0, end - Date.parse(row.began_at));
  const speed = speedOf(row, now);
  const isOver = row.phase === 'ended';
  const isOwn = row.account_id === principal.value?.account.id;
  const model = plain(row.model ?? row.requested_model);
  return (
    <tr class={isOver ? 'live-over' : ''}>
      <td title={plain(row.id)}>
        {isOver && isOwn ? <a href={href(`requests/${row.id}`)}>{model}</a> : model}
        {showsProcess && <span class="hint cut below">on {plain(row.process)}</span>}
      </td>
      <td class="end">{age < 1_000 && !isOver ? '<1 s' : duration(age)}</td>
      <td class="wide narrow" title={plain(name ?? row.key_hash)}>
        {plain(name ?? `${row.key_hash.slice(0, 8)}…`)}
      </td>
      <td class="wide">
        {plain(provider ?? row.provider ?? '–')}
        {row.attempt > 1 && <span class="muted"> (attempt {row.attempt})</span>}
      </td>
      <td>
        <Phase row={row} />
      </td>
      <td class="end wide">{count(row.output_tokens)}</td>
      <td class="end wide">{speed === undefined ? '–' : short(speed)}</td>
      <td class="end wide">
        {row.cost_nano !== null ? (
          <Money nano={row.cost_nano} />
        ) : row.ceiling_nano === null ? (
          '–'
        ) : (
          <>
            ≤ <Money nano={row.ceiling_nano} />
          </>
        )}
      </td>
      {onStop !== undefined && (
        <td class="end">
          {!isOver && (
            <button type="button" class="button small" onClick={() => onStop(row)}>
              Stop
            </button>
          )}
        </td>
      )}
    </tr>
  );
}

const phases = {
  admitted: 'admitted',
  waiting: 'waiting for provider',
  streaming: 'answering',
  tool: 'running a tool',
  settling: 'settling',
} as const;

function Phase({ row: { phase, outcome } }: { readonly row: LiveRequest }) {
  if (phase !== 'ended')
    return <State tone={phase === 'streaming' ? 'good' : 'muted'}>{phases[phase]}</State>;
  if (outcome === 'ok') return <State tone="good">done</State>;
  if (outcome === 'unknown') return <State tone="warn">process silent</State>;
  return <State tone={outcome === 'cancelled' ? 'warn' : 'bad'}>{outcome ?? 'ended'}</State>;
}
