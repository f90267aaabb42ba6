import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf, providerOf } from '../../../test/support/catalogue.ts';
import { MemoryEndpointStatistics } from '../../shared-state/memory/statistics/memory-endpoint-statistics.ts';
import { LiveStatistics } from './live-statistics.ts';
import { publishedFigures } from './published-figures.ts';

const minute = 60_000;

function begin() {
  const clock = { time: 0, now: () => clock.time };
  const statistics = new MemoryEndpointStatistics(clock);
  const [endpoint] = modelOf('acme/atlas', [providerOf({ slug: 'north' })]).endpoints;
  assert.ok(endpoint);
  return { clock, statistics, endpoint, live: new LiveStatistics(statistics, clock) };
}

test('nothing is known of who was never asked', () => {
  const { live, endpoint, statistics } = begin();
  assert.equal(live.health(endpoint), undefined);
  assert.equal(live.speed(endpoint), undefined);
  assert.equal(live.quality(endpoint), undefined);
  assert.deepEqual(Object.values(publishedFigures(endpoint, statistics)), [null, null, null, null, null]);
});

test('health counts what counts, the last half minute apart', () => {
  const { live, endpoint, statistics, clock } = begin();
  const tell = (...outcomes: Parameters<typeof statistics.record>[0]['outcome'][]) => {
    for (const outcome of outcomes) statistics.record({ endpoint, outcome });
  };
  tell('success', 'failed', 'refused', 'region');
  clock.time += 5 * minute;
  tell('success', 'success', 'timeout');
  statistics.record({ endpoint, outcome: 'rate_limited', retryAfter: 1 });
  assert.deepEqual(live.health(endpoint), {
    attempts: 5,
    failures: 2,
    recentAttempts: 3,
    recentFailures: 1,
    coolingDown: true,
  });
  assert.equal(live.health(endpoint, 'own'), undefined);
});

test('percentiles are what so many of a hundred reach or better: for throughput they fall', () => {
  const { live, endpoint, statistics } = begin();
  for (let value = 1; value <= 100; value += 1)
    statistics.record({ endpoint, timeToFirstToken: value * 10, throughput: value });
  const speed = live.speed(endpoint);
  const near = (found: object | undefined, exact: Record<string, number>) => {
    for (const [name, value] of Object.entries(exact)) {
      const told = Number(Reflect.get(found ?? {}, name));
      assert.ok(Math.abs(told - value) <= value * 0.02, `${name}: ${told}`);
    }
  };
  near(speed?.latency, { p50: 500, p75: 750, p90: 900, p99: 990 });
  near(speed?.throughput, { p50: 50, p75: 25, p90: 10, p99: 1 });
  assert.deepEqual(publishedFigures(endpoint, statistics).throughput_last_30m, speed?.throughput);
});

test('five minutes speak when they hold 20 values, else thirty, else the day', () => {
  const { live, endpoint, statistics, clock } = begin();
  const tell = (timeToFirstToken: number, times: number) => {
    for (let time = 0; time < times; time += 1) statistics.record({ endpoint, timeToFirstToken });
  };
  const p50 = () => Math.round((live.speed(endpoint)?.latency?.p50 ?? 0) / 100);
  tell(1000, 30);
  clock.time += 60 * minute;
  tell(2000, 19);
  assert.equal(p50(), 10, 'neither short window has enough');
  clock.time += 10 * minute;
  tell(4000, 1);
  assert.equal(p50(), 20, 'thirty minutes have 20');
  clock.time += 2000;
  tell(4000, 19);
  clock.time += 1000;
  assert.equal(p50(), 40, 'five minutes have 20');
});

test('quality contains typical throughput and the rate of valid tool calls', () => {
  const { live, endpoint, statistics } = begin();
  for (let time = 0; time < 10; time += 1) {
    statistics.record({ endpoint, throughput: 50 });
    statistics.recordToolCalls(endpoint, time !== 0);
  }
  const quality = live.quality(endpoint);
  assert.equal(quality?.throughput?.requests, 10);
  assert.equal(Math.round((quality?.throughput?.value ?? 0) / 10), 5);
  assert.deepEqual(quality?.toolCalls, { requests: 10, successRate: 0.9 });
});

test('an uptime is published from 20 attempts on', () => {
  const { endpoint, statistics, clock } = begin();
  for (let time = 0; time < 19; time += 1) statistics.record({ endpoint, outcome: 'success' });
  assert.equal(publishedFigures(endpoint, statistics).uptime_last_5m, null);
  statistics.record({ endpoint, outcome: 'failed' });
  statistics.record({ endpoint, outcome: 'rate_limited' });
  assert.equal(publishedFigures(endpoint, statistics).uptime_last_5m, 95);
  clock.time += 6 * minute;
  const { uptime_last_5m, uptime_last_30m, uptime_last_1d } = publishedFigures(endpoint, statistics);
  assert.deepEqual([uptime_last_5m, uptime_last_30m, uptime_last_1d], [null, 95, 95]);
});
