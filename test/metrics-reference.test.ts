import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { metricsReferenceFile, renderMetricsReference } from '../scripts/metrics-reference.ts';
import { metricFamilies } from '../src/metrics/metric-families.ts';

test('docs/metrics.md is what the code says', () => {
  assert.equal(readFileSync(metricsReferenceFile, 'utf8'), renderMetricsReference(), 'run npm run docs');
});

test('alerts are about metrics that exist', () => {
  const rules = readFileSync(join(import.meta.dirname, '../deploy/prometheus/headgate-alerts.yaml'), 'utf8');
  const known = new Set(metricFamilies.map(({ name }) => name));
  const named = [...rules.matchAll(/\b(headgate_[a-z_]+)\b/g)].map(([name]) => name.replace(/_bucket$/, ''));
  assert.ok(named.length > 6);
  assert.deepEqual(
    named.filter((name) => !known.has(name)),
    [],
  );
});
