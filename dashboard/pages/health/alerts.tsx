import type { AlertList } from '../../../clients/headgate-api.ts';
import { Empty, Failed, Loading, State } from '../../parts/state.tsx';
import { zone } from '../../state/preferences.ts';
import { clock, exactTime } from '../../text/time.ts';
import { isGood, wordsOf } from './alert-words.ts';
import { useAlerts } from './queries.ts';

type Alert = AlertList['data'][number];

/** What operators were told lately, and whether it arrived. */
export function Alerts() {
  const { data, error, reload } = useAlerts();
  if (error !== undefined && data === undefined) return <Failed error={error} retry={reload} />;
  if (data === undefined) return <Loading height={120} />;
  return (
    <section class="card" aria-label="Alerts">
      <div class="card-head">
        <h2>Alerts of the last 7 days</h2>
      </div>
      {data.data.length === 0 ? (
        <None isEnabled={data.enabled} />
      ) : (
        <div class="table-wrap">
          <table class="table fluid">
            <thead>
              <tr>
                <th scope="col">What</th>
                <th scope="col" class="wide">
                  Webhook
                </th>
                <th scope="col" class="end">
                  When
                </th>
              </tr>
            </thead>
            <tbody>
              {data.data.map((alert) => (
                <Row key={alert.id} alert={alert} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function None({ isEnabled }: { readonly isEnabled: boolean }) {
  return isEnabled ? (
    <Empty title="No alerts">
      <p>No limit was near, and every provider answered.</p>
    </Empty>
  ) : (
    <Empty title="Alerts are off">
      <p>
        Set <code>alerts.webhook</code> in the configuration file, and you are told of limits, low balances
        and providers that fail.
      </p>
    </Empty>
  );
}

const deliveries = {
  delivered: ['good', 'delivered'],
  waiting: ['muted', 'waits'],
  repeating: ['warn', 'failed, is sent again'],
  given_up: ['bad', 'given up'],
} as const;

function Row({ alert }: { readonly alert: Alert }) {
  const [tone, word] = deliveries[alert.state];
  return (
    <tr>
      <td>
        <span class={`long-name wrapping ${isGood(alert) ? 'good' : ''}`}>{wordsOf(alert)}</span>
      </td>
      <td class="wide">
        <State tone={tone}>{word}</State>
      </td>
      <td class="end" title={exactTime(alert.raised_at, zone())}>
        {clock(alert.raised_at, zone())}
      </td>
    </tr>
  );
}
