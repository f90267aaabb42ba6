import { worstOf } from '../../parts/endpoint-state.tsx';
import { Loading, State } from '../../parts/state.tsx';
import { useEndpoints } from '../../state/endpoints.ts';
import { count, duration, many } from '../../text/format.ts';
import { Alerts } from './alerts.tsx';
import './health.css';
import { Processes } from './processes.tsx';
import { Providers } from './providers.tsx';
import { useProcesses, useRisks } from './queries.ts';
import { Risks } from './risks.tsx';

/** How the installation is: whether everything works, and what does not. */
export function HealthPage() {
  return (
    <div class="page">
      <div class="page-head">
        <h1 tabIndex={-1}>Health</h1>
      </div>
      <Now />
      <Risks />
      <Processes />
      <Providers />
      <Alerts />
    </div>
  );
}

/** The whole in one line. */
function Now() {
  const processes = useProcesses();
  const risks = useRisks();
  const endpoints = useEndpoints();
  if (processes.data === undefined || risks.data === undefined) {
    return processes.error === undefined && risks.error === undefined ? <Loading height={78} /> : null;
  }
  const live = processes.data.data.filter((one) => !one.is_lost);
  const figures = live.flatMap((one) => (one.figures === null ? [] : [one.figures]));
  const sum = (of: (one: (typeof figures)[number]) => number) =>
    figures.reduce((total, one) => total + of(one), 0);
  const slowest = Math.max(...figures.flatMap(({ database_ms: time }) => (time === null ? [] : [time])));
  return (
    <section class="card padded health-now" aria-label="Now">
      <Verdict levels={risks.data.data.map(({ level }) => level)} />
      <dl class="health-figures">
        <Figure name="Processes" value={count(live.length)} />
        <Figure name="Running requests" value={count(sum(({ running }) => running))} />
        <Figure name="Database answers in" value={slowest > 0 ? roundTrip(slowest) : '–'} />
        <Figure name="Charges that wait" value={count(sum((one) => one.waiting_charges))} />
        {endpoints.data !== undefined && <Figure name="Providers" value={providersUp(endpoints.data.data)} />}
      </dl>
    </section>
  );
}

function Verdict({ levels }: { readonly levels: readonly string[] }) {
  const [problems, warnings] = ['problem', 'warning'].map(
    (level) => levels.filter((one) => one === level).length,
  );
  if (problems) return <State tone="bad">{many(problems, 'problem')}</State>;
  if (warnings) return <State tone="warn">Works, with {many(warnings, 'warning')}</State>;
  return <State tone="good">Everything works</State>;
}

function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** Short times with their fraction. */
function roundTrip(milliseconds: number): string {
  return milliseconds < 1 ? 'under 1 ms' : duration(milliseconds);
}

type Endpoints = NonNullable<ReturnType<typeof useEndpoints>['data']>['data'];

function providersUp(endpoints: Endpoints): string {
  const names = [...new Set(endpoints.map(({ provider_name: name }) => name))];
  const up = names.filter(
    (name) => worstOf(endpoints.filter((one) => one.provider_name === name)) !== -2,
  ).length;
  return up === names.length ? `${count(up)} up` : `${count(up)} of ${count(names.length)} up`;
}
