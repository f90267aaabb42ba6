import { useState } from 'preact/hooks';
import type { Destination, DestinationType } from '../../../clients/headgate-api.ts';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { mayChange, principal } from '../../api/session-state.ts';
import { Icon } from '../../parts/icon.tsx';
import { ListTable } from '../../parts/list-table.tsx';
import { Empty, Failed, Loading, State } from '../../parts/state.tsx';
import { askedDialog } from '../../state/asked-dialog.ts';
import { zone } from '../../state/preferences.ts';
import { failureOf } from '../../state/query.ts';
import type { Column } from '../../state/table-choices.ts';
import { choice } from '../../state/url.ts';
import { percent, plain } from '../../text/format.ts';
import { clock, exactTime } from '../../text/time.ts';
import { DestinationForm } from './destination-form.tsx';
import { DestinationMenu } from './destination-menu.tsx';
import './destinations.css';
import { useDestinations, useSilentWorkspaces, useTypes } from './queries.ts';

const columns: readonly Column[] = [
  { name: 'Name', isFixed: true },
  { name: 'Type' },
  { name: 'State' },
  { name: 'Workspace', look: 'wide' },
  { name: 'Gets', look: 'wide' },
  { name: 'Last taken', look: 'wide' },
];

/** Where workspaces have the traces of their requests sent. */
export function DestinationsPage() {
  const list = useDestinations(choice('workspace'));
  const types = useTypes();
  const [isMaking, setMaking] = askedDialog('make', 'destination');
  const failure = failureOf(list) ?? failureOf(types);
  const button = mayChange('destinations') && (
    <button type="button" class="button primary" onClick={() => setMaking(true)}>
      <Icon name="plus" /> New destination
    </button>
  );
  return (
    <div class="page">
      <div class="page-head">
        <h1 tabIndex={-1}>Destinations</h1>
        <span class="gap" />
        {list.data !== undefined && list.data.length > 0 && button}
      </div>
      {failure !== undefined ? (
        <Failed {...failure} />
      ) : list.data === undefined || types.data === undefined ? (
        <Loading height={320} />
      ) : list.data.length === 0 ? (
        <section class="card">
          <Empty title="No destinations yet">
            <p>
              Send the traces of requests to Langfuse, Datadog, Grafana, S3, ClickHouse, an OpenTelemetry
              collector, or a webhook. What is said goes along only where you choose so.
            </p>
            {button}
          </Empty>
        </section>
      ) : (
        <>
          <SilentWorkspaces destinations={list.data} />
          <section class="card">
            <ListTable list="destinations" columns={columns} hasActions>
              {list.data.map((destination) => (
                <Row
                  key={destination.id}
                  destination={destination}
                  types={types.data ?? []}
                  reload={list.reload}
                />
              ))}
            </ListTable>
          </section>
        </>
      )}
      {isMaking && mayChange('destinations') && types.data !== undefined && (
        <DestinationForm
          types={types.data}
          onClose={() => setMaking(false)}
          onDone={() => {
            setMaking(false);
            list.reload();
          }}
        />
      )}
    </div>
  );
}

/** Workspaces that have destinations and send them nothing, with what changes that. */
function SilentWorkspaces({ destinations }: { readonly destinations: readonly Destination[] }) {
  const silent = useSilentWorkspaces();
  const [failure, setFailure] = useState<string>();
  const concerned = (silent.data ?? []).filter(({ id }) =>
    destinations.some(({ workspace_id: workspace, enabled }) => enabled && workspace === id),
  );
  const switchOn = async (id: string) => {
    try {
      const body = { is_observability_broadcast_enabled: true };
      await send('PATCH', '/workspaces/{id}', { params: { id }, body });
      silent.reload();
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <>
      {concerned.map(({ id, name }) => (
        <div key={id} class="note warn row">
          <span>
            The workspace <strong>{plain(name)}</strong> sends nothing yet.
          </span>
          {mayChange('destinations') && (
            <button type="button" class="button small" onClick={() => void switchOn(id)}>
              Send its traces
            </button>
          )}
        </div>
      ))}
      {failure !== undefined && (
        <p class="note bad" role="alert">
          {failure}
        </p>
      )}
    </>
  );
}

interface RowProps {
  readonly destination: Destination;
  readonly types: readonly DestinationType[];
  readonly reload: () => void;
}

function Row({ destination, types, reload }: RowProps) {
  const { name, type, workspace_id: workspace, state } = destination;
  const label = principal.value?.workspaces.find(({ id }) => id === workspace)?.name;
  return (
    <tr>
      <td>
        <span class="cut" title={plain(name)}>
          {plain(name)}
        </span>
      </td>
      <td>{type}</td>
      <td>
        <DestinationState destination={destination} />
      </td>
      <td class="wide">{plain(label ?? workspace)}</td>
      <td class="wide">{whatItGets(destination)}</td>
      <td
        class="wide number"
        title={state?.succeeded_at == null ? undefined : exactTime(state.succeeded_at, zone())}
      >
        {state?.succeeded_at == null ? '–' : clock(state.succeeded_at, zone())}
      </td>
      <td class="end">
        {mayChange('destinations') && (
          <DestinationMenu destination={destination} types={types} onChange={reload} />
        )}
      </td>
    </tr>
  );
}

function DestinationState({ destination: { enabled, state } }: { readonly destination: Destination }) {
  if (!enabled) return <State tone="muted">off</State>;
  if (state === null) return <State tone="muted">nothing sent yet</State>;
  const why = [state.status, state.reason?.replaceAll('_', ' ')].filter((one) => one != null).join(' ');
  if (state.state === 'ok') return <State tone="good">ok</State>;
  if (state.state === 'paused') return <State tone="bad">left alone for a while{why && `: ${why}`}</State>;
  return <State tone="warn">failing{why && `: ${why}`}</State>;
}

/** What goes along, in few words. */
function whatItGets(destination: Destination): string {
  const parts = [
    destination.sampling_rate < 1 ? `${percent(destination.sampling_rate)} of sessions` : 'all sessions',
    ...(destination.privacy_mode ? [] : ['what is said']),
    ...(destination.broadcast_generation_cost ? ['amounts'] : []),
    ...(destination.broadcast_generation_identity ? ['users'] : []),
    ...(destination.filter_rules === null ? [] : ['filtered']),
  ];
  return parts.join(', ');
}
