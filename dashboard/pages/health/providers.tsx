import { EndpointState, worstOf } from '../../parts/endpoint-state.tsx';
import { EndpointTroubles } from '../../parts/endpoint-troubles.tsx';
import { Empty, Failed, Loading } from '../../parts/state.tsx';
import {
  type Endpoint,
  type EndpointHealth,
  useEndpointHealth,
  useEndpoints,
} from '../../state/endpoints.ts';
import { href } from '../../state/url.ts';
import { count, duration, percent, plain } from '../../text/format.ts';

/** How the endpoints of each provider are, the worst first. */
export function Providers() {
  const { data, error, reload } = useEndpoints();
  const health = useEndpointHealth().data;
  if (error !== undefined && data === undefined) return <Failed error={error} retry={reload} />;
  if (data === undefined) return <Loading height={160} />;
  const grouped = Object.entries(Object.groupBy(data.data, ({ provider_name: name }) => name)).map(
    ([name, endpoints = []]) => ({ name, endpoints, worst: worstOf(endpoints) }),
  );
  const order = [-2, -1, -3, 0];
  const rank = (status: number) => (order.includes(status) ? order.indexOf(status) : order.length);
  const rows = grouped.toSorted(
    (left, right) => rank(left.worst) - rank(right.worst) || left.name.localeCompare(right.name),
  );
  return (
    <section class="card" aria-label="Providers">
      <div class="card-head">
        <h2>Providers</h2>
        <span class="hint">as the process that answered has seen them since its start</span>
        <span class="gap" />
        <a href={href('models', { tab: 'providers' })}>Models & providers</a>
      </div>
      {rows.length === 0 ? (
        <Empty title="No provider is in service">
          <p>Give one an API key, or add it to the configuration file.</p>
        </Empty>
      ) : (
        <div class="table-wrap">
          <table class="table fluid">
            <thead>
              <tr>
                <th scope="col">Provider</th>
                <th scope="col">State</th>
                <th scope="col" class="end wide">
                  Endpoints up
                </th>
                <th scope="col" class="end wide">
                  First token, 30 min
                </th>
                <th scope="col" class="end">
                  Uptime, a day
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ name, endpoints }) => (
                <Row
                  key={name}
                  name={name}
                  endpoints={endpoints}
                  health={health?.data.filter((one) => one.provider_name === name) ?? []}
                  now={Date.parse(health?.as_of ?? '')}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

interface RowProps {
  readonly name: string;
  readonly endpoints: readonly Endpoint[];
  readonly health: readonly EndpointHealth[];
  /** The server's clock. */
  readonly now: number;
}

function Row({ name, endpoints, health, now }: RowProps) {
  const bad = endpoints.filter(({ status }) => status !== 0);
  const uptimes = endpoints.flatMap(({ uptime_last_1d: uptime }) => (uptime === null ? [] : [uptime]));
  const slug = health[0]?.provider;
  const isTried = health.some(({ attempts_30m: attempts }) => attempts > 0);
  const waits = endpoints.flatMap(({ latency_last_30m: latency }) => (latency === null ? [] : [latency.p50]));
  return (
    <tr>
      <td>
        {slug === undefined ? (
          <span class="cut below">{plain(name)}</span>
        ) : (
          <a class="cut below" href={href('requests', { provider: slug })}>
            {plain(name)}
          </a>
        )}
        <EndpointTroubles endpoints={health} now={now} />
      </td>
      <td>
        <EndpointState status={worstOf(endpoints)} />
      </td>
      <td class="end wide">
        {count(endpoints.length - bad.length)} of {count(endpoints.length)}
      </td>
      <td class="end wide">{waits.length === 0 ? <span class="muted">no answers</span> : range(waits)}</td>
      <td class="end">
        {uptimes.length > 0 ? (
          percent(Math.min(...uptimes) / 100)
        ) : (
          <span class="muted">{isTried ? 'too few requests' : 'not tried'}</span>
        )}
      </td>
    </tr>
  );
}

/** From the fastest to the slowest endpoint, as each answers half of its calls. */
function range(waits: readonly number[]): string {
  const [least, most] = [Math.min(...waits), Math.max(...waits)].map(duration);
  return least === most ? `${least}` : `${least} to ${most}`;
}
