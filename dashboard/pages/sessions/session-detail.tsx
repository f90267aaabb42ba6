import { useState } from 'preact/hooks';
import type { SessionAnswer } from '../../../clients/headgate-api.ts';
import { get } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { Money } from '../../parts/money.tsx';
import { Empty, Failed, Loading, State } from '../../parts/state.tsx';
import { zone } from '../../state/preferences.ts';
import { useQuery } from '../../state/query.ts';
import { chosenRange } from '../../state/range.ts';
import { choice, href } from '../../state/url.ts';
import { count, duration, many, plain, short } from '../../text/format.ts';
import { clock, exactTime } from '../../text/time.ts';
import {
  joinParts,
  nodesOf,
  type SessionRequest,
  scaleOf,
  type TimeScale,
  type WaterfallNode,
} from './waterfall.ts';

/** Turns that one page shows. */
const mostCalls = 1_000;

/** One session: its requests, turns and steps in time, with what each took and cost. */
export function SessionDetail({ id }: { readonly id: string }) {
  const [older, setOlder] = useState<readonly SessionAnswer[]>([]);
  const [failure, setFailure] = useState<string>();
  const ask = (cursor: string | undefined, signal?: AbortSignal) =>
    get('/sessions/{id}', {
      params: { id },
      query: { ...chosenBounds(), ...(cursor !== undefined && { cursor }) },
      ...(signal !== undefined && { signal }),
    });
  const found = useQuery(['session', id, choice('range'), choice('from'), choice('to')], (signal) =>
    ask(undefined, signal),
  );
  const parts = found.data === undefined ? [] : [found.data, ...older];
  const requests = joinParts(parts.map(({ data }) => data.requests));
  const next = parts.at(-1)?.next ?? null;
  const shown = requests.reduce((sum, { calls }) => sum + calls.length, 0);
  const readOlder = async () => {
    if (next === null) return;
    setFailure(undefined);
    try {
      const part = await ask(next);
      setOlder((earlier) => [...earlier, part]);
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <div class="page">
      <p>
        <a href={href('request-sessions')}>Sessions</a>
      </p>
      <div class="page-head">
        <h1 class="cut" tabIndex={-1} title={plain(id)}>
          Session {plain(id)}
        </h1>
        <span class="gap" />
        <a class="button" href={href('requests', { session: id })}>
          As a list of requests
        </a>
      </div>
      {found.error !== undefined && found.data === undefined ? (
        <Failed error={found.error} retry={found.reload} />
      ) : found.data === undefined ? (
        <Loading height={420} />
      ) : requests.length === 0 ? (
        <section class="card">
          <Empty title="No requests of it in this range">
            <p>
              <a
                href={href(`request-sessions/${encodeURIComponent(id)}`, {
                  range: '30d',
                  from: undefined,
                  to: undefined,
                })}
              >
                Look through 30 days
              </a>
            </p>
          </Empty>
        </section>
      ) : (
        <>
          <Sums requests={requests} isWhole={next === null} />
          <section class="card" aria-label="Waterfall">
            {next !== null && (
              <div class="list-end">
                {shown < mostCalls ? (
                  <button type="button" class="button small" onClick={readOlder}>
                    Earlier turns
                  </button>
                ) : (
                  <span class="hint">
                    These are its latest {count(shown)} turns. Choose a range for others.
                  </span>
                )}
                {failure !== undefined && <span class="bad">{plain(failure)}</span>}
              </div>
            )}
            <Waterfall requests={requests} />
          </section>
        </>
      )}
    </div>
  );
}

/** The chosen range; where none was chosen, all that the interface looks through by default. */
function chosenBounds() {
  const isChosen = ['range', 'from'].some((name) => choice(name) !== undefined);
  if (!isChosen) return {};
  const { from, to } = chosenRange();
  return { from, to };
}

interface SumsProps {
  readonly requests: readonly SessionRequest[];
  readonly isWhole: boolean;
}

function Sums({ requests, isWhole }: SumsProps) {
  const calls = requests.flatMap((request) => request.calls);
  const sum = (of: (call: (typeof calls)[number]) => number | null) =>
    calls.reduce((total, call) => total + (of(call) ?? 0), 0);
  const cost = calls.reduce((total, { cost_nano: nano }) => total + BigInt(nano), 0n);
  const starts = calls.map(({ created_at: at }) => Date.parse(at));
  const ends = calls.map(({ settled_at: at }) => Date.parse(at));
  const [from, to] = [Math.min(...starts), Math.max(...ends)];
  const failed = calls.filter(({ outcome }) => outcome === 'failed' || outcome === 'refused').length;
  const asked = sum(({ input_tokens: tokens }) => tokens);
  const said = sum(({ output_tokens: tokens }) => tokens);
  return (
    <section class="card padded session-sums" aria-label="Sums">
      <Figure label={isWhole ? 'Cost' : 'Cost of those shown'}>
        <Money nano={cost} />
      </Figure>
      <Figure label="Requests">
        {count(requests.length)} <span class="muted">in {many(calls.length, 'turn')}</span>
      </Figure>
      <Figure label="Failed">{failed === 0 ? '0' : <State tone="bad">{count(failed)}</State>}</Figure>
      <Figure label="Tokens">
        <span title={`${count(asked)} in, ${count(said)} out`}>{short(asked + said)}</span>
      </Figure>
      <Figure label="From begin to end">
        <span title={`${exactTime(from, zone())} – ${exactTime(to, zone())}`}>{duration(to - from)}</span>
      </Figure>
      <Figure label="Last seen">{clock(to, zone())}</Figure>
    </section>
  );
}

function Figure({
  label,
  children,
}: {
  readonly label: string;
  readonly children: preact.ComponentChildren;
}) {
  return (
    <div>
      <span class="muted">{label}</span>
      <strong class="number">{children}</strong>
    </div>
  );
}

function Waterfall({ requests }: { readonly requests: readonly SessionRequest[] }) {
  const nodes = nodesOf(requests);
  const scale = scaleOf(nodes);
  return (
    <>
      <div class="table-wrap" tabIndex={0} role="region" aria-label="Requests in time">
        <table class="table waterfall">
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col" class="lane">
                In time
              </th>
              <th scope="col" class="end">
                Took
              </th>
              <th scope="col" class="end wide">
                Tokens
              </th>
              <th scope="col" class="end">
                Cost
              </th>
            </tr>
          </thead>
          <tbody>
            {nodes.map((node) => (
              <Line key={node.key} node={node} scale={scale} />
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint waterfall-legend">
        <span class="legend-entry">
          <i class="swatch-waits" /> waits for the first token
        </span>
        <span class="legend-entry">
          <i class="swatch-answers" /> answers
        </span>
        {nodes.some(({ isCritical }) => isCritical) && (
          <span class="legend-entry">
            <i class="swatch-critical" /> the longest chain: without it, it would have ended earlier
          </span>
        )}
        {scale.longestPause !== undefined && (
          <span>Pauses are drawn as {duration(scale.longestPause)} at most.</span>
        )}
      </p>
    </>
  );
}

function Line({ node, scale }: { readonly node: WaterfallNode; readonly scale: TimeScale }) {
  const { kind, label, call, time, outcome, isCritical } = node;
  return (
    <tr class={`${kind}${isCritical ? ' critical' : ''}`}>
      <td>
        <span class="waterfall-name">
          {call === undefined ? (
            <span title={plain(label)}>{plain(label)}</span>
          ) : (
            <a href={href(`requests/${encodeURIComponent(call)}`)} title={plain(label)}>
              {plain(label)}
            </a>
          )}
          {outcome !== undefined && outcome !== 'ok' && (
            <State tone={outcome === 'cancelled' ? 'warn' : 'bad'}>{outcome}</State>
          )}
        </span>
      </td>
      <td class="lane">{time !== undefined && <Lane time={time} scale={scale} />}</td>
      <td class="end">{time === undefined ? '' : duration(time.end - time.start)}</td>
      <td class="end wide">{node.tokens === 0 ? '' : short(node.tokens)}</td>
      <td class="end">{kind === 'step' && node.cost === 0n ? '' : <Money nano={node.cost} />}</td>
    </tr>
  );
}

/** A bar from begin to end; what comes before the first token is lighter. */
function Lane({
  time,
  scale,
}: {
  readonly time: NonNullable<WaterfallNode['time']>;
  readonly scale: TimeScale;
}) {
  const [start, first, end] = [time.start, time.firstToken ?? time.start, time.end].map(scale.at) as [
    number,
    number,
    number,
  ];
  return (
    <span
      class="lane-track"
      aria-hidden="true"
      style={{ '--start': `${start}%`, '--first': `${first - start}%`, '--whole': `${end - start}%` }}
    >
      <span class="lane-waits" />
      <span class="lane-answers" />
    </span>
  );
}
