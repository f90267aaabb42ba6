import type { ProcessList } from '../../../clients/headgate-api.ts';
import { Failed, Loading, State } from '../../parts/state.tsx';
import { zone } from '../../state/preferences.ts';
import { bytes, count, duration, many, percent, plain } from '../../text/format.ts';
import { ago, exactTime } from '../../text/time.ts';
import { useProcesses } from './queries.ts';

type Process = ProcessList['data'][number];
type Figures = NonNullable<Process['figures']>;

/** Every process, and how it is. */
export function Processes() {
  const { data, error, reload } = useProcesses();
  if (error !== undefined && data === undefined) return <Failed error={error} retry={reload} />;
  if (data === undefined) return <Loading height={220} />;
  const now = Date.parse(data.as_of);
  return (
    <section class="stack" aria-label="Processes">
      <h2>Processes</h2>
      <div class="processes">
        {data.data.map((one) => (
          <ProcessCard key={one.id} process={one} now={now} />
        ))}
      </div>
    </section>
  );
}

function ProcessCard({ process, now }: { readonly process: Process; readonly now: number }) {
  const { host, pid, version, figures, is_lost: isLost } = process;
  return (
    <article class="card padded stack" aria-label={`Process ${pid} on ${plain(host)}`}>
      <div class="process-head">
        <h3 class="long-name">
          {plain(host)} <span class="muted">· process {pid}</span>
        </h3>
        <ProcessState process={process} />
      </div>
      <p class="hint">
        Headgate {version}
        {figures !== null && ` on Node ${figures.node}`}, started{' '}
        <span title={exactTime(process.started_at, zone())}>{ago(process.started_at, now)}</span>
        {isLost && `, last seen ${ago(process.seen_at, now)}`}
        {process.is_own && '; it answered this page'}
      </p>
      {figures === null ? (
        !isLost && <p class="muted">It runs another version, whose figures cannot be read here.</p>
      ) : (
        <>
          <FigureList figures={figures} />
          <Dependencies figures={figures} />
        </>
      )}
    </article>
  );
}

const words = {
  starting: ['muted', 'starting'],
  ready: ['good', 'takes requests'],
  draining: ['warn', 'stopping'],
  memory: ['bad', 'out of memory'],
  event_loop: ['bad', 'overloaded'],
} as const;

function ProcessState({ process: { is_lost: isLost, figures } }: { readonly process: Process }) {
  if (isLost) return <State tone="bad">lost</State>;
  if (figures === null) return <State tone="muted">another version</State>;
  const [tone, word] = words[figures.state];
  return <State tone={tone}>{word}</State>;
}

function FigureList({ figures }: { readonly figures: Figures }) {
  const { event_loop_delay_ms: delay } = figures;
  const heap = figures.heap_limit_bytes === 0 ? 0 : figures.heap_used_bytes / figures.heap_limit_bytes;
  return (
    <dl class="process-figures">
      <Figure name="Running" below={many(figures.streams, 'stream')}>
        {many(figures.running, 'request')}
      </Figure>
      <Figure name="Memory" below={`heap ${percent(heap)} full`}>
        {bytes(figures.resident_bytes)}
      </Figure>
      <Figure name="Processor" below="of one core">
        {percent(figures.cpu)}
      </Figure>
      <Figure name="Main thread" below="of the last seconds">
        {percent(figures.event_loop_busy)} busy
      </Figure>
      <Figure name="Timers" below={delay === null ? 'not measured yet' : 'late at most, 99 of 100'}>
        {delay === null ? '–' : lateness(delay)}
      </Figure>
      <Figure name="Charges" below="wait for the database">
        {count(figures.waiting_charges)}
      </Figure>
    </dl>
  );
}

function Figure({
  name,
  below,
  children,
}: {
  readonly name: string;
  readonly below: string;
  readonly children: string | readonly string[];
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {children}
        <small>{below}</small>
      </dd>
    </div>
  );
}

/** Bounds of buckets are round, and the last one stands for all above it. */
function lateness(milliseconds: number): string {
  if (milliseconds >= 2500) return 'over 2.5 s';
  return milliseconds < 5 ? `${milliseconds} ms` : duration(milliseconds);
}

const parts: Readonly<Record<string, string>> = {
  database: 'Database',
  journal: 'Booking',
  shared_state: 'Shared state',
};
const states: Readonly<Record<string, readonly ['good' | 'warn' | 'bad', string]>> = {
  ok: ['good', 'works'],
  unreachable: ['bad', 'does not answer'],
  unwritable: ['bad', 'fails'],
  no_room: ['warn', 'has no room for an outage'],
  local: ['warn', 'is away'],
};

function Dependencies({ figures: { dependencies, database_ms: time } }: { readonly figures: Figures }) {
  return (
    <ul class="plain-list process-parts">
      {Object.entries(dependencies).map(([name, state]) => {
        const [tone, word] = states[state] ?? ['warn', state];
        return (
          <li key={name}>
            <State tone={tone}>
              {parts[name] ?? name} {word}
            </State>
            {name === 'database' && time !== null && <span class="muted"> in {rounded(time)}</span>}
          </li>
        );
      })}
    </ul>
  );
}

function rounded(milliseconds: number): string {
  return milliseconds < 1 ? 'under 1 ms' : duration(milliseconds);
}
