import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Script, ScriptedUpstream } from '../../test/support/scripted-upstream.ts';
import {
  fails,
  good,
  model,
  outcomes,
  stop,
  targetsOf,
  text,
  usage,
  walk,
} from '../../test/support/walk-plan.ts';
import { type ErrorCode, HeadgateError } from '../core/errors.ts';
import { usualRoutingRules } from '../core/routing-rules.ts';
import type { UpstreamCall } from '../ports/upstream.ts';
import { MemoryEndpointStatistics } from '../shared-state/memory/statistics/memory-endpoint-statistics.ts';

test('each end of an attempt is recorded once', async () => {
  const cases: [Script, Record<string, number>][] = [
    [good, { success: 1 }],
    [[[text('Hi')], new HeadgateError('provider_timeout')], { broken: 1 }],
    [[[text('Hi')], new HeadgateError('upstream_rate_limit')], { rate_limited: 1 }],
    [fails('provider_failed'), { failed: 1 }],
    [[], { failed: 1 }],
    [fails('provider_overloaded'), { overloaded: 1 }],
    [fails('provider_timeout'), { timeout: 1 }],
    [fails('upstream_credential'), { credential: 1 }],
    [fails('upstream_not_found'), { not_found: 1 }],
    [fails('upstream_rate_limit'), { rate_limited: 1 }],
    [fails('upstream_region'), { region: 1 }],
    [fails('upstream_invalid_request'), { refused: 1 }],
    [fails('server'), {}],
  ];
  for (const [script, expected] of cases) {
    const atlas = model('acme/atlas', { north: {} });
    const [endpoint] = atlas.endpoints;
    assert.ok(endpoint);
    const { statistics } = await walk(targetsOf(atlas), { north: script });
    assert.deepEqual(outcomes(statistics, endpoint), expected);
  }
});

test('a 429 makes an endpoint wait as long as stated, within the limit of the rules', async () => {
  const rules = { ...usualRoutingRules.health, rateLimitWait: 4_000, rateLimitWaitMax: 90_000 };
  const cases: readonly (readonly [hint: number | undefined, milliseconds: number, health: typeof rules])[] =
    [
      [undefined, 10_000, usualRoutingRules.health],
      [3, 3_000, usualRoutingRules.health],
      [0, 0, usualRoutingRules.health],
      [3600, 60_000, usualRoutingRules.health],
      [undefined, 4_000, rules],
      [3600, 90_000, rules],
    ];
  for (const [hint, wait, health] of cases) {
    const atlas = model('acme/atlas', { north: {} });
    const [endpoint] = atlas.endpoints;
    assert.ok(endpoint);
    let time = 0;
    const clock = { now: () => time };
    const statistics = new MemoryEndpointStatistics(clock);
    await walk(
      targetsOf(atlas),
      { north: fails('upstream_rate_limit', hint) },
      { clock, statistics, health },
    );
    const coolsDown = () => statistics.outcomes({ endpoint })?.coolingDown;
    time = Math.max(wait - 1, 0);
    assert.equal(coolsDown(), wait > 0);
    time = wait;
    assert.equal(coolsDown(), false);
  }
});

test('only streamed answers measure the speed of an endpoint', async () => {
  const atlas = model('acme/atlas', { north: {} });
  const [endpoint] = atlas.endpoints;
  assert.ok(endpoint);
  let time = 0;
  // Each look at the clock is 100 ms after the last.
  const clock = { now: () => (time += 100) };
  const streamed = await walk(targetsOf(atlas), { north: good }, { clock });
  assert.equal(streamed.statistics.answers(endpoint)?.samples('latency', '5m'), 1);
  const [throughput = 0] = streamed.statistics.answers(endpoint)?.percentiles('throughput', '5m', [50]) ?? [];
  assert.ok(throughput > 10 && throughput < 50, `10 tokens in a few tenths of a second: ${throughput}`);
  const whole = await walk(targetsOf(atlas), { north: good }, { clock, streamed: false });
  assert.equal(whole.statistics.answers(endpoint), undefined);
  assert.deepEqual(outcomes(whole.statistics, endpoint), { success: 1 });
});

/** The statistics of an endpoint after one answer of 10 tokens in 100 ms. */
async function afterAnswer(tell: (call: UpstreamCall) => void, end?: ErrorCode) {
  const atlas = model('acme/atlas', { north: {} });
  const [endpoint] = atlas.endpoints;
  assert.ok(endpoint);
  let time = 0;
  const scripted = new ScriptedUpstream({});
  scripted.stream = async function* (call) {
    yield [text('Hi')];
    time += 100;
    tell(call);
    yield [usage];
    // The reader takes its time.
    time += 9_900;
    if (end !== undefined) throw new HeadgateError(end);
    yield [stop];
  };
  const upstreams = new Map([['scripted', scripted]]);
  const { statistics } = await walk(targetsOf(atlas), {}, { upstreams, clock: { now: () => time } });
  const [throughput] = statistics.answers(endpoint)?.percentiles('throughput', '5m', [50]) ?? [];
  return { throughput: throughput && Math.round(throughput), outcomes: outcomes(statistics, endpoint) };
}

test('the time readers take is not the endpoint’s', async () => {
  const usual = await afterAnswer(() => {});
  assert.deepEqual(usual, { throughput: 1, outcomes: { success: 1 } });
  const whole = await afterAnswer(({ onWhole }) => onWhole?.());
  assert.ok(whole.throughput !== undefined && Math.abs(whole.throughput - 100) <= 2, `${whole.throughput}`);
  const hold = ({ onPaused }: UpstreamCall) => onPaused?.(true);
  assert.deepEqual(await afterAnswer(hold), { throughput: undefined, outcomes: { success: 1 } });
  const holdBriefly = ({ onPaused }: UpstreamCall) => {
    onPaused?.(true);
    onPaused?.(false);
  };
  assert.deepEqual(await afterAnswer(holdBriefly), usual);
  for (const code of ['provider_timeout', 'deadline_exceeded'] as const) {
    assert.deepEqual((await afterAnswer(holdBriefly, code)).outcomes, { broken: 1 });
    assert.deepEqual((await afterAnswer(hold, code)).outcomes, {});
  }
  assert.deepEqual((await afterAnswer(hold, 'provider_failed')).outcomes, { broken: 1 });
});
