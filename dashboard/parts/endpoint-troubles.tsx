import type { EndpointHealth } from '../state/endpoints.ts';
import { zone } from '../state/preferences.ts';
import { count, many, plain } from '../text/format.ts';
import { ago, clock, exactTime } from '../text/time.ts';

/** Endpoints that are named; of further ones only their number is. */
const mostNamed = 3;

/** What is wrong with the endpoints of a provider, and since when. @param now The server's clock. */
export function EndpointTroubles({
  endpoints,
  now,
}: {
  readonly endpoints: readonly EndpointHealth[];
  readonly now: number;
}) {
  const troubled = endpoints.filter(isTroubled).toSorted(worstFirst);
  if (troubled.length === 0) return null;
  return (
    <ul class="plain-list hint troubles">
      {troubled.slice(0, mostNamed).map((one) => (
        <li key={`${one.model_id} ${one.tag}`}>
          {plain(one.model_name)}: <EndpointTrouble health={one} now={now} />
        </li>
      ))}
      {troubled.length > mostNamed && <li>and {many(troubled.length - mostNamed, 'more endpoint')}</li>}
    </ul>
  );
}

/** Whether it is not normal, or without any answer while there were attempts. */
export function isTroubled({
  since,
  attempts_30m: attempts,
  failures_30m: failures,
}: EndpointHealth): boolean {
  return since !== null || (attempts > 0 && failures === attempts);
}

const order = ['down', 'degraded', 'rate_limited', 'normal', 'deprecated'];

function worstFirst(one: EndpointHealth, other: EndpointHealth): number {
  const rank = ({ state }: EndpointHealth) => order.indexOf(state);
  return rank(one) - rank(other) || (one.since ?? '').localeCompare(other.since ?? '');
}

/** What is wrong with an endpoint, since when and until when. @param now The server's clock. */
export function EndpointTrouble({ health, now }: { readonly health: EndpointHealth; readonly now: number }) {
  const { state, since, until, attempts_30m: attempts, last_success_at: answered } = health;
  return (
    <>
      {since === null ? (
        `${attempts === 1 ? 'the only attempt' : `all ${count(attempts)} attempts`} of 30 minutes failed`
      ) : (
        <>
          {state.replaceAll('_', ' ')} since <Moment at={since} />
          {passed(since, now)}
        </>
      )}
      {until !== null && (
        <>
          , until <Moment at={until} />
        </>
      )}
      {kindsOf(health)}
      {answered === null ? (
        '; no answer within a day'
      ) : (
        <>
          ; last answer <Moment at={answered} />
        </>
      )}
    </>
  );
}

/** How long it lasts; nothing in its first seconds. */
function passed(since: string, now: number): string {
  return now - Date.parse(since) < 5_000 ? '' : `, ${ago(since, now)}`;
}

function Moment({ at }: { readonly at: string }) {
  return (
    <time datetime={at} title={exactTime(at, zone())}>
      {clock(at, zone())}
    </time>
  );
}

const kinds: Readonly<Record<string, string>> = {
  failed: 'failures',
  overloaded: 'overloads',
  timeout: 'timeouts',
  broken: 'broken answers',
  credential: 'refused credentials',
  not_found: 'unknown model',
  rate_limited: 'rate limits',
  region: 'refused by region',
  refused: 'refused requests',
};

/** What attempts came to in 30 minutes; operators know it. */
function kindsOf({ outcomes_30m: outcomes }: EndpointHealth): string {
  if (outcomes === null || outcomes.length === 0) return '';
  return ` (${outcomesInWords(outcomes)})`;
}

/** What attempts came to besides answers, in words. */
export function outcomesInWords(outcomes: NonNullable<EndpointHealth['outcomes_30m']>): string {
  return outcomes
    .map(({ outcome, count: times }) => `${count(times)} × ${kinds[outcome] ?? outcome}`)
    .join(', ');
}
