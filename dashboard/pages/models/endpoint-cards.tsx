import { get } from '../../api/client.ts';
import { EndpointState } from '../../parts/endpoint-state.tsx';
import { Empty, Failed, Loading } from '../../parts/state.tsx';
import type { Endpoint } from '../../state/endpoints.ts';
import { useQuery } from '../../state/query.ts';
import { count, duration, percent, plain, tokenPrice } from '../../text/format.ts';
import { partsOf } from './model-detail.tsx';

/** Who serves a model: state, speed and prices of each endpoint. */
export function EndpointCards({ id }: { readonly id: string }) {
  const found = useQuery(
    ['endpoints-of', id],
    (signal) => get('/models/{author}/{slug}/endpoints', { params: partsOf(id), signal }),
    {
      every: 15_000,
    },
  );
  if (found.error !== undefined && found.data === undefined)
    return <Failed error={found.error} retry={found.reload} />;
  if (found.data === undefined) return <Loading height={180} />;
  const { endpoints } = found.data.data;
  if (endpoints.length === 0) {
    return (
      <Empty title="No endpoint">
        <p>Nobody who is configured here serves this model.</p>
      </Empty>
    );
  }
  return (
    <div class="endpoints">
      {endpoints.map((endpoint) => (
        <EndpointCard key={endpoint.tag} endpoint={endpoint} />
      ))}
    </div>
  );
}

function EndpointCard({ endpoint }: { readonly endpoint: Endpoint }) {
  const { pricing, latency_last_30m: latency, throughput_last_30m: speed } = endpoint;
  return (
    <section class="card padded stack">
      <div class="row">
        <h3>{plain(endpoint.provider_name)}</h3>
        <code class="muted">{plain(endpoint.tag)}</code>
        <EndpointState status={endpoint.status} />
      </div>
      <dl class="facts">
        <dt>Input</dt>
        <dd>
          {tokenPrice(pricing.prompt)} a million tokens
          {pricing.input_cache_read !== undefined && `, ${tokenPrice(pricing.input_cache_read)} from a cache`}
        </dd>
        <dt>Output</dt>
        <dd>{tokenPrice(pricing.completion)} a million tokens</dd>
        <dt>Uptime</dt>
        <dd>{uptimeOf(endpoint)}</dd>
        <dt>First token</dt>
        <dd>
          {latency === null
            ? 'no answers in 30 minutes'
            : `half within ${duration(latency.p50)}, 99 of 100 within ${duration(latency.p99)}`}
        </dd>
        <dt>Speed</dt>
        <dd>{speed === null ? 'no answers in 30 minutes' : `${count(Math.round(speed.p50))} tok/s`}</dd>
        <dt>Context</dt>
        <dd>
          {endpoint.context_length === 0 ? 'unknown' : `${count(endpoint.context_length)} tokens`}
          {endpoint.quantization !== null && `, ${endpoint.quantization}`}
        </dd>
      </dl>
    </section>
  );
}

function uptimeOf({ uptime_last_5m: five, uptime_last_30m: thirty, uptime_last_1d: day }: Endpoint): string {
  const known = [
    [five, 'in 5 minutes'],
    [thirty, 'in 30 minutes'],
    [day, 'in a day'],
  ] as const;
  const parts = known.flatMap(([value, name]) => (value === null ? [] : [`${percent(value / 100)} ${name}`]));
  return parts.length === 0 ? 'not tried lately' : parts.join(', ');
}
