import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The dashboard for Grafana that is made from the panels below (docs/metrics.md#grafana). */
export const dashboardFile = join(import.meta.dirname, '../deploy/grafana/headgate.json');

/** One line, or one line for each label, of a panel. */
type Query = readonly [expression: string, legend: string];

interface PanelRow {
  readonly title: string;
  readonly description: string;
  /** A unit of Grafana. */
  readonly unit: string;
  readonly queries: readonly Query[];
}

/** `$job` is the job of the scrape configuration, `$__rate_interval` a time that Grafana chooses. */
const every = 'job="$job"';
const rate = (metric: string, labels = '') =>
  `rate(${metric}{${labels === '' ? '' : `${labels},`}${every}}[$__rate_interval])`;
const quantile = (share: number, metric: string, by = '') =>
  `histogram_quantile(${share}, sum by (${by === '' ? 'le' : `${by}, le`}) (${rate(`${metric}_bucket`)}))`;

const panels: readonly PanelRow[] = [
  {
    title: 'Requests a second, by status',
    description:
      '499: the client left. A stream that failed after it had begun counts as 200 with an error type.',
    unit: 'reqps',
    queries: [[`sum by (status) (${rate('headgate_requests_total')})`, '{{status}}']],
  },
  {
    title: 'Share of requests that failed',
    description: 'Answers with 5xx, and streams that failed after they had begun.',
    unit: 'percentunit',
    queries: [
      [
        `sum(${rate('headgate_requests_total', 'status=~"5..|200",error_type=~"server|timeout|provider_.*"')}) / sum(${rate('headgate_requests_total')})`,
        'failed',
      ],
    ],
  },
  {
    title: 'Running requests and open streams',
    description: 'All processes together.',
    unit: 'short',
    queries: [
      [`sum(headgate_requests_running{${every}})`, 'running'],
      [`sum(headgate_streams_open{${every}})`, 'streams among them'],
    ],
  },
  {
    title: 'Time to the first token',
    description:
      'Half of the requests and 95 of 100, by the provider that answered, failed attempts before it included.',
    unit: 's',
    queries: [
      [quantile(0.5, 'headgate_time_to_first_token_seconds', 'provider'), '{{provider}}, half'],
      [quantile(0.95, 'headgate_time_to_first_token_seconds', 'provider'), '{{provider}}, 95 of 100'],
    ],
  },
  {
    title: 'Success of attempts, by provider',
    description: 'Fallbacks may hide failures from clients.',
    unit: 'percentunit',
    queries: [
      [
        `sum by (provider) (${rate('headgate_upstream_attempts_total', 'outcome="success"')}) / sum by (provider) (${rate('headgate_upstream_attempts_total', 'outcome!~"abandoned|refused"')})`,
        '{{provider}}',
      ],
    ],
  },
  {
    title: 'Failures of providers, by reason',
    description: 'A reason is a row of docs/errors.md, or why a provider could not be reached.',
    unit: 'cps',
    queries: [
      [`sum by (provider, reason) (${rate('headgate_upstream_failures_total')})`, '{{provider}}: {{reason}}'],
    ],
  },
  {
    title: 'Tokens a second',
    description: 'Of answered requests, by provider and direction.',
    unit: 'cps',
    queries: [
      [`sum by (provider, direction) (${rate('headgate_tokens_total')})`, '{{provider}}, {{direction}}'],
    ],
  },
  {
    title: 'Charged an hour',
    description: 'For people and alerts; the ledger is authoritative.',
    unit: 'currencyUSD',
    queries: [[`3600 * sum by (provider) (${rate('headgate_charged_usd_total')})`, '{{provider}}']],
  },
  {
    title: 'Refused for lack of money or by a limit',
    description: '402, 403 and 429, by the limit.',
    unit: 'cps',
    queries: [
      [`sum by (limit_source, reason) (${rate('headgate_refusals_total')})`, '{{limit_source}}: {{reason}}'],
    ],
  },
  {
    title: 'Time until a charge is durable',
    description: 'The last byte of an answer waits for it.',
    unit: 's',
    queries: [
      [quantile(0.5, 'headgate_commit_duration_seconds'), 'half'],
      [quantile(0.99, 'headgate_commit_duration_seconds'), '99 of 100'],
    ],
  },
  {
    title: 'Charges that wait or failed',
    description:
      'Waiting: durable on its machine, not in the database yet. Failed: their answers were not given.',
    unit: 'short',
    queries: [
      [`sum(headgate_charges_waiting{${every}})`, 'waiting'],
      [`sum(increase(headgate_commit_failures_total{${every}}[$__rate_interval]))`, 'failed'],
    ],
  },
  {
    title: 'Dependencies that are not well',
    description: 'How many processes find a dependency in that state.',
    unit: 'short',
    queries: [
      [
        `sum by (dependency, state) (headgate_dependency_state{state!="ok",${every}})`,
        '{{dependency}}: {{state}}',
      ],
    ],
  },
  {
    title: 'Delay of the event loop, 99 of 100',
    description: 'Above 100 ms a process is out of CPU.',
    unit: 's',
    queries: [
      [quantile(0.99, 'headgate_event_loop_delay_seconds', 'instance, worker'), '{{instance}} {{worker}}'],
    ],
  },
  {
    title: 'Resident memory',
    description: 'Of each process.',
    unit: 'bytes',
    queries: [[`process_resident_memory_bytes{${every}}`, '{{instance}} {{worker}}']],
  },
];

// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Grafana.
const source = { type: 'prometheus', uid: '${source}' };
const [width, height] = [12, 8];

/** The dashboard as Grafana imports it. */
export function renderDashboard(): string {
  const dashboard = {
    title: 'Headgate',
    uid: 'headgate',
    description: 'Made by `npm run docs` from scripts/grafana-dashboard.ts. Metrics: docs/metrics.md.',
    tags: ['headgate'],
    schemaVersion: 39,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    templating: {
      list: [
        { name: 'source', type: 'datasource', label: 'Data source', query: 'prometheus' },
        {
          name: 'job',
          type: 'query',
          label: 'Job',
          datasource: source,
          query: 'label_values(headgate_build_info, job)',
          refresh: 1,
        },
      ],
    },
    panels: panels.map(({ title, description, unit, queries }, index) => ({
      id: index + 1,
      type: 'timeseries',
      title,
      description,
      datasource: source,
      gridPos: { x: (index % 2) * width, y: Math.floor(index / 2) * height, w: width, h: height },
      fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 10, lineWidth: 1 } }, overrides: [] },
      options: {
        legend: { displayMode: 'list', placement: 'bottom', showLegend: true, calcs: [] },
        tooltip: { mode: 'multi', sort: 'desc' },
      },
      targets: queries.map(([expr, legendFormat], at) => ({
        refId: String.fromCharCode(65 + at),
        datasource: source,
        expr,
        legendFormat,
      })),
    })),
  };
  return `${JSON.stringify(dashboard, undefined, 2)}\n`;
}

/** Every expression with its variables replaced, as Prometheus gets it. */
export function dashboardExpressions(): readonly string[] {
  return panels.flatMap(({ queries }) =>
    queries.map(([expression]) =>
      expression.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'headgate'),
    ),
  );
}

if (import.meta.main) writeFileSync(dashboardFile, renderDashboard());
