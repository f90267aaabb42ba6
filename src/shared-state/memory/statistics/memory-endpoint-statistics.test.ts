import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { modelOf, providerOf } from '../../../../test/support/catalogue.ts';
import { MemoryEndpointStatistics } from './memory-endpoint-statistics.ts';

test('the endpoint without records for the longest time is evicted when there are too many', () => {
  const clock = { time: 0, now: () => clock.time };
  const statistics = new MemoryEndpointStatistics(clock, 100);
  const { endpoints } = modelOf(
    'acme/atlas',
    Array.from({ length: 250 }, (_, index) => providerOf({ slug: `north-${index}` })),
  );
  for (const endpoint of endpoints) {
    clock.time += 1;
    statistics.record({ endpoint, outcome: 'success' });
  }
  const known = endpoints.map((endpoint) => statistics.outcomes({ endpoint }) !== undefined);
  assert.ok(known.filter(Boolean).length <= 100);
  assert.ok(known.slice(-90).every(Boolean));
});

test('of those that began first, the ones that went on longest stay', () => {
  const clock = { time: 0, now: () => clock.time };
  const statistics = new MemoryEndpointStatistics(clock, 10);
  const { endpoints } = modelOf(
    'acme/atlas',
    Array.from({ length: 11 }, (_, index) => providerOf({ slug: `north-${index}` })),
  );
  const record = (index: number) => {
    const endpoint = endpoints[index];
    assert.ok(endpoint);
    clock.time += 1;
    statistics.record({ endpoint, outcome: 'success' });
  };
  for (const index of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 4, 5, 6, 7, 8, 9, 10]) record(index);
  const unknown = endpoints.filter((endpoint) => statistics.outcomes({ endpoint }) === undefined);
  assert.deepEqual(unknown, [endpoints[3]]);
});

test('five thousand endpoints are kept unless it is told otherwise', () => {
  const clock = { time: 0, now: () => clock.time };
  const statistics = new MemoryEndpointStatistics(clock);
  const { endpoints } = modelOf(
    'acme/atlas',
    Array.from({ length: 5_001 }, (_, index) => providerOf({ slug: `north-${index}` })),
  );
  const tell = (from: number, end: number) => {
    for (const endpoint of endpoints.slice(from, end)) {
      clock.time += 1;
      statistics.recordToolCalls(endpoint, true);
    }
  };
  const known = () => endpoints.filter((endpoint) => statistics.answers(endpoint) !== undefined).length;
  tell(0, 5_000);
  assert.equal(known(), 5_000);
  tell(5_000, 5_001);
  assert.equal(known(), 4_501);
});

test('memory is bounded however much is recorded', () => {
  const clock = { time: 0, now: () => clock.time };
  const statistics = new MemoryEndpointStatistics(clock);
  const [endpoint] = modelOf('acme/atlas', [providerOf({ slug: 'north' })]).endpoints;
  assert.ok(endpoint);
  const tell = (count: number) => {
    for (let times = 0; times < count; times += 1) {
      clock.time += 250;
      const spread = 1 + (times % 997);
      statistics.record({
        endpoint,
        outcome: 'success',
        timeToFirstToken: spread * 3,
        throughput: 5_000 / spread,
      });
    }
  };
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const held = () => {
    collect();
    return process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  };
  tell(400_000);
  const before = held();
  tell(400_000);
  const grown = held() - before;
  // A list of all records would have grown by more than ten megabytes.
  assert.ok(grown < 2_000_000, `${grown} bytes`);
});
