import type { Session } from '../../../clients/headgate-api.ts';
import { get } from '../../api/client.ts';
import { ListTable } from '../../parts/list-table.tsx';
import { Money } from '../../parts/money.tsx';
import { Empty, Failed, Loading, State } from '../../parts/state.tsx';
import { TableTools } from '../../parts/table-tools.tsx';
import { zone } from '../../state/preferences.ts';
import { useQuery } from '../../state/query.ts';
import { chosenRange } from '../../state/range.ts';
import type { Column } from '../../state/table-choices.ts';
import { choice, href } from '../../state/url.ts';
import { count, duration, many, plain, short } from '../../text/format.ts';
import { clock, exactTime } from '../../text/time.ts';
import { SessionDetail } from './session-detail.tsx';
import './sessions.css';

/** Requests that clients say belong together. */
export function SessionsPage({ id }: { readonly id: string | undefined }) {
  return id === undefined ? <SessionList /> : <SessionDetail key={id} id={id} />;
}

const columns: readonly Column[] = [
  { name: 'Session', isFixed: true },
  { name: 'Last seen' },
  { name: 'Turns', look: 'end' },
  { name: 'Failed', look: 'end' },
  { name: 'Took', look: 'end wide' },
  { name: 'Tokens', look: 'end wide', title: 'In and out' },
  { name: 'User', look: 'wide' },
  { name: 'Cost', look: 'end' },
];

const mostSessions = 200;

function SessionList() {
  const range = chosenRange();
  const workspace = choice('workspace');
  const asked = range.name === 'custom' ? [range.from, range.to] : range.name;
  const found = useQuery(
    ['sessions', asked, workspace],
    (signal) => {
      const { from, to } = chosenRange();
      return get('/sessions', {
        query: { from, to, limit: mostSessions, ...(workspace !== undefined && { workspace }) },
        signal,
      });
    },
    { every: 10_000 },
  );
  const { data } = found;
  return (
    <div class="page">
      <div class="page-head">
        <h1 tabIndex={-1}>Sessions</h1>
        <span class="gap" />
        <TableTools list="sessions" page="request-sessions" columns={columns} hasViews />
      </div>
      {found.error !== undefined && data === undefined ? (
        <Failed error={found.error} retry={found.reload} />
      ) : data === undefined ? (
        <Loading height={420} />
      ) : (
        <section class={`card${found.isStale ? ' stale' : ''}`}>
          {data.data.length === 0 ? (
            <NoSessions />
          ) : (
            <ListTable list="sessions" columns={columns}>
              {data.data.map((session) => (
                <Row key={session.id} session={session} />
              ))}
            </ListTable>
          )}
          {!data.complete && (
            <p class="hint list-end">
              Searched back to {clock(data.searched_to, zone())}. Choose a shorter range for what is older.
            </p>
          )}
        </section>
      )}
    </div>
  );
}

function NoSessions() {
  return (
    <Empty title="No sessions in this range">
      <p>
        Requests with the same <code>session_id</code> in their body, or the same header{' '}
        <code>X-Session-Id</code>, are one session: a conversation, or a run of an agent.
      </p>
    </Empty>
  );
}

function Row({ session }: { readonly session: Session }) {
  const { id, calls, failed, from, to, input_tokens: asked, output_tokens: said, user } = session;
  return (
    <tr>
      <td>
        <a class="cut mono" href={href(`request-sessions/${encodeURIComponent(id)}`)} title={plain(id)}>
          {plain(id)}
        </a>
      </td>
      <td class="number" title={exactTime(to, zone())}>
        {clock(to, zone())}
      </td>
      <td class="end" title={many(calls, 'turn')}>
        {count(calls)}
      </td>
      <td class="end">{failed === 0 ? '0' : <State tone="bad">{count(failed)}</State>}</td>
      <td class="end wide">{duration(Date.parse(to) - Date.parse(from))}</td>
      <td class="end wide" title={`${count(asked)} in, ${count(said)} out`}>
        {short(asked + said)}
      </td>
      <td class="wide">
        {user === null ? (
          '–'
        ) : (
          <a href={href('requests', { user })} title={plain(user)}>
            {plain(user)}
          </a>
        )}
      </td>
      <td class="end">
        <Money nano={session.cost_nano} />
      </td>
    </tr>
  );
}
