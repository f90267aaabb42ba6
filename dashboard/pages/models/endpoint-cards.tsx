import { get } from '../../api/client.ts';
import { EndpointState } from '../../parts/endpoint-state.tsx';
import { EndpointTrouble, isTroubled } from '../../parts/endpoint-troubles.tsx';
import { Empty, Failed, Loading } from '../../parts/state.tsx';
import { type Endpoint, type EndpointHealth, useEndpointHealth } from '../../state/endpoints.ts';
import { useQuery } from '../../state/query.ts';
import { plain } from '../../text/format.ts';
import { EndpointFacts } from './endpoint-facts.tsx';
import { partsOf } from './model-detail.tsx';
import { priceLines } from './price-lines.ts';

/** Who serves a model: state, speed, prices and data practice of each endpoint. */
export function EndpointCards({ id }: { readonly id: string }) {
  const found = useQuery(
    ['endpoints-of', id],
    (signal) => get('/models/{author}/{slug}/endpoints', { params: partsOf(id), signal }),
    {
      every: 15_000,
    },
  );
  const health = useEndpointHealth().data;
  if (found.error !== undefined && found.data === undefined)
    return <Failed error={found.error} retry={found.reload} />;
  if (found.data === undefined) return <Loading height={180} />;
  const { endpoints, id: model } = found.data.data;
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
        <EndpointCard
          key={endpoint.tag}
          endpoint={endpoint}
          health={health?.data.find((one) => one.model_id === model && one.tag === endpoint.tag)}
          now={Date.parse(health?.as_of ?? '')}
        />
      ))}
    </div>
  );
}

interface EndpointCardProps {
  readonly endpoint: Endpoint;
  readonly health: EndpointHealth | undefined;
  /** The server's clock. */
  readonly now: number;
}

function EndpointCard({ endpoint, health, now }: EndpointCardProps) {
  return (
    <section class="card padded stack" aria-label={endpoint.tag}>
      <div class="row">
        <h3>{plain(endpoint.provider_name)}</h3>
        <code class="muted">{plain(endpoint.tag)}</code>
        <EndpointState status={endpoint.status} />
      </div>
      {health !== undefined && isTroubled(health) && (
        <p class="trouble">
          <EndpointTrouble health={health} now={now} />
        </p>
      )}
      <EndpointFacts endpoint={endpoint} health={health} />
      <table class="prices">
        <caption class="hidden">Prices</caption>
        <tbody>
          {priceLines(endpoint.pricing).map(({ name, text }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {endpoint.supported_parameters.length > 0 && (
        <details>
          <summary>{endpoint.supported_parameters.length} parameters</summary>
          <div class="row parameters">
            {endpoint.supported_parameters.map((name) => (
              <span key={name} class="chip">
                {name}
              </span>
            ))}
          </div>
        </details>
      )}
    </section>
  );
}
