import { get } from '../../api/client.ts';
import { EndpointState, worstOf } from '../../parts/endpoint-state.tsx';
import { EndpointTroubles } from '../../parts/endpoint-troubles.tsx';
import { ListTable } from '../../parts/list-table.tsx';
import { Money } from '../../parts/money.tsx';
import { Empty, Failed, Loading, State } from '../../parts/state.tsx';
import { TableTools } from '../../parts/table-tools.tsx';
import {
  type Endpoint,
  type EndpointHealth,
  useEndpointHealth,
  useEndpoints,
} from '../../state/endpoints.ts';
import { useQuery } from '../../state/query.ts';
import type { Column } from '../../state/table-choices.ts';
import { href } from '../../state/url.ts';
import { type Group, useSeries } from '../../state/usage.ts';
import { count, percent, plain, share } from '../../text/format.ts';
import { type Connection, ProviderCheck, useConnections } from './provider-check.tsx';

const providerColumns: readonly Column[] = [
  { name: 'Provider', isFixed: true },
  { name: 'State' },
  { name: 'Uptime, a day', look: 'wide' },
  { name: 'Endpoints', look: 'end wide' },
  { name: 'Requests', look: 'end' },
  { name: 'Spend', look: 'end wide' },
];

/** Who serves, how well, and how much went to each in the range. */
export function ProviderList() {
  const providers = useQuery(['providers'], (signal) => get('/providers', { signal }));
  const endpoints = useEndpoints();
  const health = useEndpointHealth().data;
  const connections = useConnections();
  const usage = useSeries({ group: 'provider', bucket: 'all', top: 50 });
  if (providers.error !== undefined && providers.data === undefined)
    return <Failed error={providers.error} retry={providers.reload} />;
  if (providers.data === undefined) return <Loading height={300} />;
  if (providers.data.data.length === 0) {
    return (
      <section class="card">
        <Empty title="No provider is in service">
          <p>Store its API key in a variable or in the configuration file, and its models can be called.</p>
        </Empty>
      </section>
    );
  }
  const used = new Map((usage.data?.groups ?? []).map((group) => [group.value, group]));
  return (
    <section class="card">
      <div class="card-head">
        <span class="gap" />
        <TableTools list="providers" page="models" columns={providerColumns} hasViews />
      </div>
      <ListTable list="providers" columns={providerColumns}>
        {providers.data.data.map(({ slug, name, status_page_url: page, headquarters }) => (
          <Row
            key={slug}
            slug={slug}
            name={name}
            statusPage={page}
            place={headquarters}
            endpoints={(endpoints.data?.data ?? []).filter((one) => one.provider_name === name)}
            health={health?.data.filter((one) => one.provider === slug) ?? []}
            now={Date.parse(health?.as_of ?? '')}
            usage={used.get(slug)}
            connection={connections.get(slug)}
          />
        ))}
      </ListTable>
    </section>
  );
}

interface RowProps {
  readonly slug: string;
  readonly name: string;
  readonly statusPage: string | null;
  readonly place: string | null;
  readonly endpoints: readonly Endpoint[];
  readonly health: readonly EndpointHealth[];
  /** The server's clock. */
  readonly now: number;
  readonly usage: Group | undefined;
  /** How it is reached; undefined for others than operators. */
  readonly connection: Connection | undefined;
}

function Row({ slug, name, statusPage, place, endpoints, health, now, usage, connection }: RowProps) {
  const known = endpoints.flatMap(({ uptime_last_1d: uptime }) => (uptime === null ? [] : [uptime]));
  return (
    <tr>
      <td>
        <a href={href('requests', { provider: slug })}>{plain(name)}</a>
        <span class="hint cut model-id">
          {slug}
          {place !== null && ` · ${place}`}
          {statusPage !== null && ` · ${new URL(statusPage).host}`}
        </span>
        <EndpointTroubles endpoints={health} now={now} />
        {connection !== undefined && <ProviderCheck connection={connection} name={plain(name)} />}
      </td>
      <td>
        {endpoints.length === 0 ? (
          <State tone="muted">no endpoint</State>
        ) : (
          <EndpointState status={worstOf(endpoints)} />
        )}
      </td>
      <td class="wide number">
        {known.length > 0 ? (
          percent(Math.min(...known) / 100)
        ) : (
          <span class="muted">
            {health.some(({ attempts_30m: attempts }) => attempts > 0) ? 'too few requests' : 'not tried yet'}
          </span>
        )}
      </td>
      <td class="end wide">{count(endpoints.length)}</td>
      <td class="end">
        {usage === undefined ? '–' : count(usage.totals.requests)}
        {usage !== undefined && usage.totals.failed > 0 && (
          <span class="hint"> {share(usage.totals.failed, usage.totals.requests)} failed</span>
        )}
      </td>
      <td class="end wide">{usage === undefined ? '–' : <Money nano={usage.totals.cost_nano} />}</td>
    </tr>
  );
}
