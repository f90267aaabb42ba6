import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram } from './gateway-counters.ts';
import { metricFamilies } from './metric-families.ts';
import { toText } from './text-format.ts';

test('every family describes itself, with or without values', () => {
  const lines = toText({}).split('\n');
  assert.deepEqual(
    lines.filter((line) => line.startsWith('# TYPE')),
    metricFamilies.map(({ name, type }) => `# TYPE ${name} ${type}`),
  );
  assert.equal(lines.filter((line) => line.startsWith('# HELP')).length, metricFamilies.length);
});

test('labels are escaped', () => {
  const labels = ['a"b\\c\nd', 'failed'];
  const text = toText({ headgate_upstream_attempts_total: [{ labels, value: 3 }] });
  assert.ok(
    text.includes('headgate_upstream_attempts_total{provider="a\\"b\\\\c\\nd",outcome="failed"} 3\n'),
    text,
  );
});

test('buckets are cumulated and end with everything', () => {
  const histogram = new Histogram([0.5, 1]);
  for (const value of [0.25, 0.75, 7]) histogram.observe(value);
  const text = toText({ headgate_request_duration_seconds: [{ labels: ['true'], value: histogram }] });
  const shown = text.split('\n').filter((line) => line.startsWith('headgate_request_duration_seconds'));
  assert.deepEqual(shown, [
    'headgate_request_duration_seconds_bucket{streamed="true",le="0.5"} 1',
    'headgate_request_duration_seconds_bucket{streamed="true",le="1"} 2',
    'headgate_request_duration_seconds_bucket{streamed="true",le="+Inf"} 3',
    'headgate_request_duration_seconds_sum{streamed="true"} 8',
    'headgate_request_duration_seconds_count{streamed="true"} 3',
  ]);
});
