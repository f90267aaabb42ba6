import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { metricFamilies } from '../src/metrics/metric-families.ts';

/** The file of the metrics reference. */
export const metricsReferenceFile = join(import.meta.dirname, '../docs/metrics.md');

/** Generates docs/metrics.md from the metrics themselves. */
export function renderMetricsReference(): string {
  const rows = metricFamilies.map(
    ({ name, type, labels, help }) =>
      `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`,
  );
  return `${head}${rows.join('\n')}\n${foot}`;
}

const head = `# Metrics

<!-- Made by \`npm run docs\` from src/metrics; a test compares the two. -->

\`GET /metrics\` answers in the Prometheus text format. It names no key, account, model or prompt: labels hold providers of the configuration
(at most 300, further ones share the name \`other\`) and words of this program, so the number of series does not grow with traffic. For
models, keys and accounts use \`headgate usage\` and \`GET /api/v1/activity\`.

## Who may read them

| Where | Who |
|---|---|
| \`server.metrics_port\` set | everybody who reaches that port, on a separate listener on \`server.host\`. The public listener answers 404. |
| not set, \`server.host\` is a loopback address | everybody on this machine; a request forwarded by a proxy (\`X-Forwarded-For\`, \`Forwarded\`, \`X-Real-IP\`, \`Via\`) or sent to another name than \`localhost\` or a loopback address needs a management key |
| not set, any other address | \`Authorization: Bearer <management key>\` |

Metrics show spending, and a proxy on the same machine could publish them. Behind a proxy set \`server.metrics_port\` and do not forward
\`/metrics\`. Both listeners answer while the server drains. Each reading checks the database, for two seconds at most.

With \`server.workers\` above 1 the processes share both ports, and any of them answers for all: every series then has the label \`worker\`, a
process id. Take rates first, then sums: \`sum(rate(…))\` stays right when a process is replaced.

\`\`\`yaml
scrape_configs:
  - job_name: headgate
    static_configs: [{ targets: ["127.0.0.1:9464"] }]     # server: { metrics_port: 9464 }
\`\`\`

## Metrics and their labels

| Metric | Type | Labels | |
|---|---|---|---|
`;

const foot = `
A request is counted once; an answer repeated by its \`Idempotency-Key\` was counted when it was made. Money is counted in binary fractions and
starts at zero in each process: use it for alerts, not for invoices.

## Alerts

[deploy/prometheus/headgate-alerts.yaml](../deploy/prometheus/headgate-alerts.yaml) has these rules, with tests beside them that CI runs.

| When | Means |
|---|---|
| \`up{job="headgate"} == 0\` for a minute | Prometheus cannot reach that process |
| \`absent(up{job="headgate"})\` for 5 minutes | Prometheus has no process to ask: the job is named otherwise, or gone |
| \`sum by (dependency, state) (headgate_dependency_state{state!="ok"}) > 0\` for a minute | something it needs is away; \`local\`: each process counts alone |
| \`rate(headgate_commit_failures_total[5m]) > 0\` | charges cannot be booked: answers are not given |
| \`headgate_charges_waiting > 10000\` for 5 minutes | PostgreSQL is away and charges wait in the data directory |
| share of 5xx and of streams that failed above 5 % for 5 minutes | providers fail, or this service does |
| success of a provider's attempts below 80 % for 10 minutes | that provider fails; fallbacks may hide it from clients |
| \`headgate_event_loop_delay_seconds\`, 99 of 100 above 100 ms for 5 minutes | a process is out of CPU: add processes |
| \`increase(headgate_lapsed_holds_total[15m]) > 0\` | a process died while requests ran |

## Grafana

[deploy/grafana/headgate.json](../deploy/grafana/headgate.json) is a dashboard of these metrics: requests, failures, first tokens, providers, tokens, money, limits, charges,
dependencies, event loop and memory. Import it (Dashboards, New, Import) and choose the data source and the job. CI has Prometheus parse its expressions.
`;

if (import.meta.main) writeFileSync(metricsReferenceFile, renderMetricsReference());
