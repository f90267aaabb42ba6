import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { modelOf, providerOf } from '../../test/support/catalogue.ts';
import type { Catalogue } from '../core/catalogue.ts';
import { usualRoutingRules } from '../core/routing-rules.ts';
import type { AttemptOutcome } from '../ports/endpoint-statistics.ts';
import { LiveStatistics } from '../routing/statistics/live-statistics.ts';
import { MemoryEndpointStatistics } from '../shared-state/memory/statistics/memory-endpoint-statistics.ts';
import { EndpointTroubles } from './endpoint-troubles.ts';

const [second, minute] = [1_000, 60_000];
const epoch = 1_800_000_000_000;

function begin(context: TestContext) {
  const monotonic = { time: 5, now: () => monotonic.time };
  const clock = { now: () => epoch + monotonic.time };
  const statistics = new MemoryEndpointStatistics(monotonic);
  const model = modelOf('acme/atlas', [providerOf({ slug: 'north' }), providerOf({ slug: 'south' })]);
  const [endpoint, other] = model.endpoints;
  assert.ok(endpoint && other);
  const current: { models: Catalogue['models']; providers: Catalogue['providers'] } = {
    models: new Map([[model.id, model]]),
    providers: new Map(),
  };
  const troubles = new EndpointTroubles({
    catalogue: () => current,
    routing: () => usualRoutingRules,
    endpointStatistics: new LiveStatistics(statistics, monotonic),
    statistics,
    clock,
  });
  context.after(() => troubles.close());
  const tell = (...outcomes: AttemptOutcome[]) => {
    for (const outcome of outcomes) statistics.record({ endpoint, outcome });
  };
  /** Lets time pass, with a look each second. */
  const wait = (milliseconds: number) => {
    for (let passed = 0; passed < milliseconds; passed += second) {
      monotonic.time += second;
      troubles.look();
    }
  };
  const jump = (milliseconds: number) => {
    monotonic.time += milliseconds;
  };
  return { troubles, tell, wait, jump, now: clock.now, endpoint, other, statistics, current };
}

test('an endpoint that fails is down since then, and says when it answered last', (context) => {
  const { troubles, tell, wait, now, endpoint, other } = begin(context);
  assert.deepEqual(troubles.of(endpoint), {
    condition: 'normal',
    since: undefined,
    until: undefined,
    lastSuccess: undefined,
  });
  tell('success');
  const answered = now();
  wait(3 * minute);
  tell('failed', 'timeout');
  const failed = now();
  assert.deepEqual(troubles.of(endpoint), {
    condition: 'down',
    since: failed,
    until: undefined,
    lastSuccess: answered,
  });
  wait(20 * second);
  tell('failed', 'failed');
  wait(minute / 2 - second);
  const { condition, since } = troubles.of(endpoint);
  assert.deepEqual([condition, since], ['down', failed]);
  assert.equal(troubles.of(other).condition, 'normal');
});

test('a trouble that shows again is the same until an answer comes', (context) => {
  const { troubles, tell, wait, now, endpoint } = begin(context);
  tell('failed', 'failed');
  const first = now();
  troubles.look();
  wait(10 * minute);
  assert.equal(troubles.of(endpoint).since, undefined, 'routing tries it again');
  tell('failed', 'failed');
  assert.equal(troubles.of(endpoint).since, first);
  wait(10 * minute);
  tell('success');
  wait(minute);
  tell('failed', 'failed');
  assert.equal(troubles.of(endpoint).since, now());
});

test('another condition begins anew, and a 429 says how long', (context) => {
  const { troubles, tell, wait, now, endpoint, statistics } = begin(context);
  statistics.record({ endpoint, outcome: 'rate_limited', retryAfter: 60 });
  const limited = now();
  wait(20 * second);
  assert.deepEqual(troubles.of(endpoint), {
    condition: 'rate_limited',
    since: limited + second,
    until: limited + minute,
    lastSuccess: undefined,
  });
  wait(minute);
  for (let count = 0; count < 100; count += 1) tell(count % 3 === 0 ? 'failed' : 'success');
  troubles.look();
  const { condition, since } = troubles.of(endpoint);
  assert.deepEqual([condition, since], ['down', now()]);
});

test('endpoints that left the catalogue or were not asked for a day are forgotten', (context) => {
  const { troubles, tell, wait, jump, now, endpoint, current } = begin(context);
  tell('failed', 'failed');
  troubles.look();
  const { models } = current;
  current.models = new Map();
  troubles.look();
  current.models = models;
  wait(3 * second);
  const { since } = troubles.of(endpoint);
  assert.equal(since, now() - 2 * second, 'noted anew by the first look that finds it again');
  jump(25 * 60 * minute);
  troubles.look();
  tell('failed', 'failed');
  assert.equal(troubles.of(endpoint).since, now(), 'a day later it is another trouble');
});
