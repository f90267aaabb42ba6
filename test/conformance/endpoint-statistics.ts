import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Endpoint } from '../../src/core/catalogue.ts';
import type { Clock } from '../../src/ports/clock.ts';
import {
  type AttemptOutcome,
  type EndpointStatistics,
  type MetricWindow,
  uptimeFailures,
} from '../../src/ports/endpoint-statistics.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { unique } from './fixtures.ts';

/** Makes statistics that go by this clock. */
export type OpenEndpointStatistics = (clock: Clock) => EndpointStatistics;

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const noon = Date.UTC(2026, 10, 18, 12);

function begin(open: OpenEndpointStatistics) {
  const clock = { time: noon, now: () => clock.time };
  const statistics = open(clock);
  const endpoint = newEndpoint();
  const tell = (outcome: AttemptOutcome, retryAfter?: number) =>
    statistics.record({ endpoint, outcome, retryAfter });
  const outcomes = () => statistics.outcomes({ endpoint }) ?? assert.fail('nothing is known');
  const answers = () => statistics.answers(endpoint) ?? assert.fail('nothing is known');
  return { clock, statistics, endpoint, tell, outcomes, answers };
}

function newEndpoint(fields: Partial<Endpoint> = {}): Endpoint {
  const [endpoint] = modelOf('acme/atlas', [providerOf({ slug: unique('north') })], fields).endpoints;
  return endpoint ?? assert.fail('no endpoint');
}

/**
 * What every EndpointStatistics must do (docs/spec/routing.md#health, docs/spec/routing.md#thresholds,
 * docs/spec/routing.md#quality-order, docs/spec/routing.md#statistics).
 */
export function describeEndpointStatistics(name: string, open: OpenEndpointStatistics): void {
  describe(`endpoint statistics: ${name}`, () => {
    describeOutcomes(open);
    describeCoolDowns(open);
    describePercentiles(open);
    describeIdentity(open);
  });
}

function describeOutcomes(open: OpenEndpointStatistics): void {
  test('each outcome is counted by itself', () => {
    const { tell, outcomes } = begin(open);
    for (const outcome of ['success', 'failed', 'broken', 'refused', 'success', 'region'] as const)
      tell(outcome);
    assert.deepEqual(
      { ...outcomes().outcomes('5m') },
      {
        success: 2,
        failed: 1,
        overloaded: 0,
        timeout: 0,
        broken: 1,
        credential: 0,
        not_found: 0,
        rate_limited: 0,
        region: 1,
        refused: 1,
      },
    );
  });

  test('the uptime knows successes and what counts against it', () => {
    const { tell, outcomes } = begin(open);
    const all = ['success', ...uptimeFailures, 'rate_limited', 'region', 'refused'] as const;
    for (const outcome of all) tell(outcome);
    assert.deepEqual(outcomes().uptime('30m'), { attempts: 7, failures: 6 });
  });

  test('each window lets go of what is older than itself and of nothing younger than 19 twentieths of it', () => {
    const windows = { '30s': 30 * second, '5m': 5 * minute, '30m': 30 * minute, '1d': 24 * hour } as const;
    for (const [window, length] of Object.entries(windows)) {
      const { clock, tell, outcomes } = begin(open);
      const count = () => outcomes().outcomes(window as keyof typeof windows).success;
      clock.time += 1_234;
      tell('success');
      clock.time += length * 0.95;
      tell('success');
      assert.equal(count(), 2, window);
      clock.time += length * 0.05;
      assert.equal(count(), 1, window);
    }
  });

  test('counts over any course of time are those of an exact list', () => {
    const step = fc.record({ wait: fc.integer({ min: 0, max: 12_000 }), success: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const { clock, tell, outcomes } = begin(open);
        const told: { at: number; success: boolean }[] = [];
        for (const { wait, success } of steps) {
          clock.time += wait;
          tell(success ? 'success' : 'failed');
          told.push({ at: clock.time, success });
          const counted = outcomes().outcomes('30s');
          for (const kind of [true, false]) {
            const since = (age: number) =>
              told.filter(({ at, success: good }) => good === kind && at > clock.time - age).length;
            const seen = kind ? counted.success : counted.failed;
            assert.ok(seen <= since(30 * second) && seen >= since(28.5 * second));
          }
        }
      }),
      { numRuns: 50 },
    );
  });

  test('tool calls are remembered for two hours', () => {
    const { clock, statistics, endpoint, answers } = begin(open);
    for (const valid of [true, false, true]) statistics.recordToolCalls(endpoint, valid);
    assert.deepEqual(answers().toolCalls, { requests: 3, marked: 1 });
    clock.time += 110 * minute;
    assert.deepEqual(answers().toolCalls, { requests: 3, marked: 1 });
    clock.time += 10 * minute;
    assert.deepEqual(answers().toolCalls, { requests: 0, marked: 0 });
  });
}

function describeCoolDowns(open: OpenEndpointStatistics): void {
  for (const seconds of [0, 3, 3600]) {
    test(`a 429 that asks to wait holds for ${seconds} s`, () => {
      const { clock, tell, outcomes } = begin(open);
      tell('rate_limited', seconds);
      assert.equal(outcomes().coolingDown, seconds > 0);
      clock.time += Math.max(seconds * second - 1, 0);
      assert.equal(outcomes().coolingDown, seconds > 0);
      clock.time += 1;
      assert.equal(outcomes().coolingDown, false);
    });
  }

  test('a shorter wait does not end a longer one, nor does a success', () => {
    const { clock, tell, outcomes } = begin(open);
    tell('rate_limited', 30);
    clock.time += second;
    tell('rate_limited', 2);
    tell('success');
    clock.time += 28 * second;
    assert.equal(outcomes().coolingDown, true);
    clock.time += second;
    assert.equal(outcomes().coolingDown, false);
  });
}

function describePercentiles(open: OpenEndpointStatistics): void {
  test('percentiles are within 2 % of the exact ones, whatever was measured', () => {
    const value = fc.oneof(
      fc.double({ min: 0.2, max: 50, noNaN: true }),
      fc.integer({ min: 1, max: 600_000 }),
    );
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 500 }), (values) => {
        const { statistics, endpoint, answers } = begin(open);
        for (const timeToFirstToken of values) statistics.record({ endpoint, timeToFirstToken });
        const ordered = values.toSorted((left, right) => left - right);
        const percents = [1, 25, 50, 75, 90, 99, 100];
        const told = answers().percentiles('latency', '5m', percents) ?? [];
        for (const [index, percent] of percents.entries()) {
          const exact = ordered[Math.ceil((percent / 100) * ordered.length) - 1] ?? Number.NaN;
          const close = Math.abs((told[index] ?? Number.NaN) - exact) <= exact * 0.02;
          assert.ok(close, `p${percent}: ${told[index]} for ${exact}`);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('percentiles follow the window, slot by slot', () => {
    const windows = { '5m': 5 * minute, '30m': 30 * minute, '1d': 24 * hour } as const;
    for (const [window, length] of Object.entries(windows) as [MetricWindow, number][]) {
      const { clock, statistics, endpoint, answers } = begin(open);
      const read = () => Math.round((answers().percentiles('throughput', window, [50])?.[0] ?? 0) / 10);
      for (let times = 0; times < 300; times += 1) statistics.record({ endpoint, throughput: 10 });
      clock.time += length * 0.9;
      for (let times = 0; times < 100; times += 1) statistics.record({ endpoint, throughput: 80 });
      assert.equal(answers().samples('throughput', window), 400);
      assert.equal(read(), 1);
      clock.time += length * 0.1;
      assert.equal(answers().samples('throughput', window), 100);
      assert.equal(read(), 8);
    }
  });

  test('nothing measured is nothing known', () => {
    const { statistics, endpoint, tell, answers } = begin(open);
    tell('success');
    assert.equal(statistics.answers(endpoint), undefined);
    statistics.record({ endpoint, throughput: 30 });
    assert.equal(answers().samples('latency', '1d'), 0);
    assert.equal(answers().percentiles('latency', '1d', [50]), undefined);
  });

  test('an attempt given up counts by its durations alone', () => {
    const { statistics, endpoint, answers } = begin(open);
    statistics.record({ endpoint, timeToFirstToken: 900 });
    assert.equal(answers().samples('latency', '30m'), 1);
    assert.equal(statistics.outcomes({ endpoint }), undefined);
  });
}

function describeIdentity(open: OpenEndpointStatistics): void {
  test('an endpoint is known again in another catalogue, and by nobody else’s name', () => {
    const { statistics, endpoint, tell } = begin(open);
    tell('success');
    const count = (other: Endpoint) => statistics.outcomes({ endpoint: other })?.outcomes('1d').success;
    assert.equal(count({ ...endpoint, contextLength: 9 }), 1);
    assert.equal(count({ ...endpoint, tag: `${endpoint.tag}/turbo` }), undefined);
    assert.equal(count({ ...endpoint, upstreamModel: 'other' }), undefined);
    assert.equal(count(newEndpoint()), undefined);
  });

  test('an own credential speaks for itself alone', () => {
    const { statistics, endpoint, tell, outcomes } = begin(open);
    tell('success');
    statistics.record({ endpoint, credentialId: 'c1', outcome: 'credential' });
    statistics.record({ endpoint, credentialId: 'c1', outcome: 'rate_limited', retryAfter: 1 });
    assert.equal(outcomes().outcomes('30s').credential, 0);
    assert.equal(outcomes().coolingDown, false);
    const own = statistics.outcomes({ endpoint, credentialId: 'c1' });
    assert.equal(own?.outcomes('30s').credential, 1);
    assert.equal(own?.coolingDown, true);
    assert.deepEqual(own?.uptime('30s'), { attempts: 1, failures: 1 });
    assert.equal(statistics.outcomes({ endpoint, credentialId: 'c2' }), undefined);
  });

  test('who was silent for a day is forgotten', () => {
    const { clock, statistics, endpoint, tell } = begin(open);
    tell('success');
    clock.time += 24 * hour - 1;
    assert.notEqual(statistics.outcomes({ endpoint }), undefined);
    clock.time += 1;
    assert.equal(statistics.outcomes({ endpoint }), undefined);
  });
}
