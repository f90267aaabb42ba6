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

\`GET /metrics\` answers in the Prometheus text format. Nothing in it names a key, an account, a model or a word of a
prompt: labels contain configured providers (300 at most, all others share the name \`other\`) and fixed words of this
program, so the number of series does not grow with traffic. The usage of models, keys and accounts is in the ledger:
\`headgate usage\`, \`GET /api/v1/activity\`.

## Who may read them

| Where | Who |
|---|---|
| \`server.metrics_port\` set | a separate listener on \`server.host\` that serves nothing else; every client that reaches the port may read. The public listener answers 404. |
| not set, \`server.host\` is a loopback address | every client on this machine; a request that a proxy forwarded (\`X-Forwarded-For\`, \`Forwarded\`, \`X-Real-IP\`, \`Via\`) needs a management key, and so does one that calls the server by another name than \`localhost\` or a loopback address |
| not set, any other address | \`Authorization: Bearer <management key>\` |

Spending is confidential, and a proxy on the same machine would otherwise publish it. Behind a proxy, set
\`server.metrics_port\` and do not forward \`/metrics\`. Both listeners answer while the server drains. Each reading checks
the database, with a limit of two seconds.

With \`server.workers\` above 1 the processes share both ports, and the one that answers reports for all: every series then
has the label \`worker\`, a process id. Take rates first and add them up after: \`sum(rate(…))\` stays right when a process
is replaced.

\`\`\`yaml
scrape_configs:
  - job_name: headgate
    static_configs: [{ targets: ["127.0.0.1:9464"] }]     # server: { metrics_port: 9464 }
\`\`\`

## What there is

| Metric | Type | Labels | |
|---|---|---|---|
`;

const foot = `
Requests are counted once, where their answer is decided: an answer read again by its \`Idempotency-Key\` counts when it
was made. Money is counted in binary fractions and starts at zero with each process: for alerts, not for invoices.

## Worth an alert

[deploy/prometheus/headgate-alerts.yaml](../deploy/prometheus/headgate-alerts.yaml) holds these as rules, with their
tests beside them; CI runs both.

| When | Means |
|---|---|
| \`sum by (dependency, state) (headgate_dependency_state{state!="ok"}) > 0\` for a minute | something it needs is away; \`local\`: each process counts alone |
| \`rate(headgate_commit_failures_total[5m]) > 0\` | charges cannot be booked: answers are not given |
| \`headgate_charges_waiting > 10000\` for 5 minutes | the database does not keep up with the journal |
| share of 5xx and of streams that failed above 5 % for 5 minutes | providers fail, or this service does |
| success of a provider's attempts below 80 % for 10 minutes | that provider fails; fallbacks may hide it from clients |
| \`headgate_event_loop_delay_seconds\`, 99 of 100 above 100 ms for 5 minutes | a process is out of CPU: add processes |
| \`increase(headgate_lapsed_holds_total[15m]) > 0\` | a process died while requests ran |
`;

if (import.meta.main) writeFileSync(metricsReferenceFile, renderMetricsReference());
