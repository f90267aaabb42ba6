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
prompt: labels hold providers of the configuration (300 at most, any more share the name \`other\`) and words of this
program, so that the number of series does not grow with traffic. What models, keys and accounts did is in the books:
\`headgate usage\`, \`GET /api/v1/activity\`.

## Who may read them

| Where | Who |
|---|---|
| \`server.metrics_port\` set | a listener of its own, on \`server.host\`, that serves nothing else; whoever reaches the port may read. The public listener answers 404. |
| not set, \`server.host\` is a loopback address | whoever is on this machine; a request that a proxy passed on (\`X-Forwarded-For\`, \`Forwarded\`, \`X-Real-IP\`, \`Via\`) needs a management key, and so does one that calls the server by another name than \`localhost\` or a loopback address |
| not set, any other address | \`Authorization: Bearer <management key>\` |

What is spent is nobody's business but the operator's, and a proxy on the same machine would otherwise show it to the
world. Behind one, set \`server.metrics_port\`, and let no rule pass \`/metrics\` on. Both listeners answer while the
server drains. The state of the database is asked for at each reading, for two seconds at most.

With \`server.workers\` above 1 the processes share both ports, and whichever answers tells of all: every series then has
the label \`worker\`, a process id. Take rates first and add them up after: \`sum(rate(…))\` stays right when a process
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
