import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metricFamilies } from '../../src/metrics/metric-families.ts';
import type { Snapshot } from '../../src/metrics/metric-family.ts';
import { toText } from '../../src/metrics/text-format.ts';
import { MetricFamiliesProducer } from '../../src/telemetry/metric-producer.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { attributesOf, startCollector } from '../support/collector.ts';
import { noTelemetry, startGateway } from '../support/gateway.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of exports, each checked here.
type Json = any;

test('metrics reach the collector as it takes them, under their names', async (t) => {
  const collector = await startCollector();
  const upstream = await startFakeUpstream({ steps: chatStream('Good ', 'day.') });
  t.after(() => Promise.all([collector.close(), upstream.close()]));
  const metrics = { enabled: true, interval: 60_000, temporality: 'cumulative' } as const;
  const gateway = await startGateway({
    models: [modelOf('acme/atlas-4', [providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` })])],
    config: {
      telemetry: {
        ...noTelemetry,
        endpoint: collector.url,
        metrics,
        headers: { 'x-team': 'gateway' },
        resource: { 'service.name': 'inference' },
      },
    },
  });
  await (await gateway.post({ model: 'acme/atlas-4', input: 'Hello' })).text();
  await gateway.stop();
  const sent = collector.bodies.find(({ path }) => path === '/v1/metrics');
  assert.equal(sent?.headers['x-team'], 'gateway');
  const [{ resource, scopeMetrics }]: Json = JSON.parse(sent?.text ?? '').resourceMetrics;
  const shown = attributesOf(resource.attributes);
  assert.equal(shown['service.name'], 'inference');
  assert.match(String(shown['service.version']), /^\d/);
  const all: Json[] = scopeMetrics.flatMap((one: Json) => one.metrics);
  const requests = all.find(({ name }) => name === 'headgate.requests');
  assert.equal(requests?.unit, '{request}');
  assert.equal(requests?.sum.isMonotonic, true);
  assert.equal(
    requests?.sum.dataPoints.reduce((sum: number, { asDouble }: Json) => sum + asDouble, 0),
    1,
  );
});

/** Lines of `/metrics` as a collector's points would be written. */
function asText(metrics: Json): Map<string, number> {
  const lines = new Map<string, number>();
  for (const { name, points } of metrics) {
    for (const { labels, value } of points) {
      const pairs = (more: readonly string[] = []) => {
        const all = [...labels, ...more];
        return all.length === 0 ? '' : `{${all.join(',')}}`;
      };
      if (typeof value === 'number') lines.set(`${name}${pairs()}`, value);
      else {
        let total = 0;
        for (const [place, count] of value.buckets.counts.entries()) {
          total += count;
          lines.set(`${name}_bucket${pairs([`le="${value.buckets.boundaries[place] ?? '+Inf'}"`])}`, total);
        }
        lines.set(`${name}_sum${pairs()}`, value.sum);
        lines.set(`${name}_count${pairs()}`, value.count);
      }
    }
  }
  return lines;
}

/** Every family with some values. */
function snapshot(scale: number): Snapshot {
  return Object.fromEntries(
    metricFamilies.map(({ name, type, labels }, place) => {
      const value =
        type === 'histogram'
          ? { bounds: [0.1, 1], counts: [scale, 2 * scale, place], sum: scale / 2 }
          : scale * place;
      return [name, [{ labels: labels.map((label) => `${label}-a`), value }]];
    }),
  );
}

test('an export and /metrics of one moment agree in every number', async () => {
  const read = async () => snapshot(3);
  const producer = new MetricFamiliesProducer({ read }, { temporality: 'cumulative', version: '1' });
  const { resourceMetrics } = await producer.collect();
  const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
  assert.equal(metrics.length, metricFamilies.length);
  const points = metrics.map(({ dataPoints }, place) => ({
    name: metricFamilies[place]?.name,
    points: dataPoints.map(({ attributes, value }) => ({
      labels: Object.entries(attributes).map(([label, one]) => `${label}="${one}"`),
      value,
    })),
  }));
  const exported = asText(points);
  const lines = toText(snapshot(3))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  assert.equal(exported.size, lines.length);
  for (const line of lines) {
    const at = line.lastIndexOf(' ');
    assert.equal(exported.get(line.slice(0, at)), Number(line.slice(at + 1)), line);
  }
});

test('deltas are what came since the last export, and add up to the totals', async () => {
  let scale = 3;
  const producer = new MetricFamiliesProducer(
    { read: async () => snapshot(scale) },
    { temporality: 'delta', version: '1' },
  );
  const readValue = async (name: string) => {
    const { resourceMetrics } = await producer.collect();
    const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
    return metrics.find(({ descriptor }) => descriptor.name === name)?.dataPoints[0]?.value as Json;
  };
  const place = metricFamilies.findIndex(({ name }) => name === 'headgate_lapsed_holds_total');
  assert.ok(place > 0);
  assert.equal(await readValue('headgate.lapsed_holds'), 3 * place);
  scale = 5;
  assert.equal(await readValue('headgate.lapsed_holds'), 2 * place);
  assert.equal(await readValue('headgate.lapsed_holds'), 0);
  scale = 9;
  const histogram = await readValue('headgate.event_loop_delay_seconds');
  assert.deepEqual(histogram.buckets.counts.slice(0, 2), [4, 8]);
});
