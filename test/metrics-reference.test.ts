import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { dashboardExpressions, dashboardFile, renderDashboard } from '../scripts/grafana-dashboard.ts';
import { metricsReferenceFile, renderMetricsReference } from '../scripts/metrics-reference.ts';
import { metricFamilies } from '../src/metrics/metric-families.ts';

test('docs/metrics.md is what the code says', () => {
  assert.equal(readFileSync(metricsReferenceFile, 'utf8'), renderMetricsReference(), 'run npm run docs');
});

/** Names of metrics in a text that do not exist. */
function unknownIn(text: string): readonly string[] {
  const known = new Set(metricFamilies.map(({ name }) => name));
  const named = [...text.matchAll(/\b((?:headgate|process)_[a-z_]+)\b/g)].map(([name]) =>
    name.replace(/_bucket$/, ''),
  );
  assert.ok(named.length > 6);
  return named.filter((name) => !known.has(name));
}

test('alerts are about metrics that exist', () => {
  const rules = readFileSync(join(import.meta.dirname, '../deploy/prometheus/headgate-alerts.yaml'), 'utf8');
  assert.deepEqual(unknownIn(rules), []);
});

test('the dashboard for Grafana is what its script says, and about metrics that exist', () => {
  assert.equal(readFileSync(dashboardFile, 'utf8'), renderDashboard(), 'run npm run docs');
  assert.deepEqual(unknownIn(dashboardExpressions().join('\n')), []);
});
