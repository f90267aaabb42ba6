import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkStream } from '../../test/stream-checker.ts';
import { testCaller } from '../../test/support/caller.ts';
import { good, invoiced, play, text, usage } from '../../test/support/play-call.ts';
import type { Script } from '../../test/support/scripted-upstream.ts';
import type { Delta } from '../core/delta.ts';
import { HeadgateError } from '../core/errors.ts';
import { type NanoUsd, zeroUsd } from '../core/money.ts';
import type { ResponseObject } from '../dialects/gateway/assembly/response.ts';
import { countTokens } from '../util/count-tokens.ts';

const stop: Delta = { kind: 'finish', reason: 'stop' };
const fails = (
  code: 'provider_failed' | 'upstream_rate_limit' | 'upstream_invalid_request' | 'upstream_not_found',
  retryAfter?: number,
) => new HeadgateError(code, `${code} happened.`, { retryAfter });

test('an answer is streamed, charged once and told last', async () => {
  const { events, response, booked } = await play({ scripts: { north: good } });
  const terminal = checkStream(events);
  assert.equal(terminal.status, 'completed');
  assert.deepEqual(structuredClone(response), terminal);
  assert.equal(booked.length, 1);
  assert.equal(booked[0]?.cost, 3_900_000n, '1000 x 3 + 60 x 15 USD per million');
  assert.equal(response?.usage?.cost, 0.0039);
  assert.deepEqual(
    [
      booked[0]?.upstreamId,
      booked[0]?.model,
      booked[0]?.provider,
      booked[0]?.finishReason,
      booked[0]?.cancelled,
    ],
    ['up-1', 'acme/atlas-4', 'north', 'stop', false],
  );
});

test('pieces that come one at a time are all told', async () => {
  const alone = ['Good ', 'day, ', 'friend.'].map((piece) => [text(piece)]);
  const { events } = await play({ scripts: { north: [...alone, [usage, stop]] } });
  assert.match(JSON.stringify(checkStream(events).output), /Good day, friend\./);
});

test('streamed and unstreamed give the same answer', async () => {
  const streamed = await play({ scripts: { north: good } });
  const whole = await play({ scripts: { north: good }, body: { stream: false } });
  assert.deepEqual(whole.events, []);
  const plain = (response: ResponseObject | undefined) =>
    JSON.stringify(response)
      .replace(/"(resp|msg)_\w+"/g, '"id"')
      .replace(/"(created_at|completed_at|generation_time)":\d+/g, '"time":0');
  assert.equal(plain(whole.response), plain(streamed.response));
});

test('a failure before the first item hands over silently and costs nothing', async () => {
  const { events, response, booked, upstream } = await play({
    scripts: { north: [[{ kind: 'start' }], fails('provider_failed')], south: good },
  });
  checkStream(events);
  assert.equal(response?.status, 'completed');
  assert.deepEqual(
    upstream.calls.map((call) => call.endpoint.provider.slug),
    ['north', 'south'],
  );
  assert.equal(booked.length, 1);
  assert.deepEqual(
    booked[0]?.attempts.map(({ provider, status }) => [provider, status]),
    [
      ['north', 502],
      ['south', 200],
    ],
  );
  assert.deepEqual(response?.service_metadata?.attempt, 2);
});

test('a refusal by the model passes over its other endpoints to the next model', async () => {
  const { response, upstream, booked } = await play({
    scripts: { north: [fails('upstream_invalid_request')], south: good },
    body: { models: ['globex/ibis'] },
  });
  assert.equal(response?.model, 'globex/ibis');
  assert.deepEqual(
    upstream.calls.map((call) => call.model.id),
    ['acme/atlas-4', 'globex/ibis'],
  );
  assert.equal(response?.service_metadata?.strategy, 'fallback');
  assert.deepEqual([booked[0]?.requestedModel, booked[0]?.model], ['acme/atlas-4', 'globex/ibis']);
});

test('a failure after the first item is told in the stream and is not charged', async () => {
  const { events, booked, upstream } = await play({
    scripts: { north: [[text('Good ')], fails('provider_failed')], south: good },
  });
  const terminal = checkStream(events);
  assert.equal(events.at(-2)?.type, 'error');
  assert.equal(terminal.error_type, 'provider_unavailable');
  assert.equal(upstream.calls.length, 1);
  assert.deepEqual([booked[0]?.cost, booked[0]?.insured, booked[0]?.finishReason], [0n, true, 'error']);
});

test('unstreamed: a failure with output is a failed response, one without output an error', async () => {
  const late = await play({
    scripts: { north: [[text('Good ')], fails('provider_failed')] },
    body: { stream: false },
  });
  assert.equal(late.response?.status, 'failed');
  assert.equal(late.response?.output.length, 1);
  const early = await play({
    scripts: { north: [fails('provider_failed')], south: [] },
    body: { stream: false },
  });
  assert.equal(early.refused?.error.status, 503);
  assert.match(early.refused?.error.message ?? '', /empty answer/);
});

test('a failure in what comes first is told by its status: nothing of the stream was sent', async () => {
  const lost: Delta = { kind: 'arguments', block: 3, text: '{}' };
  const { events, refused, booked } = await play({ scripts: { north: [[text('Good '), lost]] } });
  assert.deepEqual(events, []);
  assert.equal(refused?.error.status, 502);
  assert.deepEqual([booked[0]?.cost, booked[0]?.finishReason], [0n, 'error']);
});

test('the status when all failed follows docs/spec/routing.md#final-error', async () => {
  const limited = await play({
    scripts: { north: [fails('upstream_rate_limit', 9)], south: [fails('upstream_rate_limit', 4)] },
  });
  assert.equal(limited.refused?.error.status, 429);
  assert.equal(limited.refused?.error.retryAfter, 4);
  assert.equal(limited.refused?.error.metadata.availability?.code, 'capacity_exhausted');
  const half = await play({
    scripts: { north: [fails('upstream_rate_limit', 9)], south: [fails('upstream_rate_limit')] },
  });
  assert.equal(half.refused?.error.retryAfter, undefined);
  assert.equal(half.refused?.error.metadata.availability?.retry_after, 9);
  const mixed = await play({
    scripts: { north: [fails('provider_failed')], south: [fails('upstream_rate_limit')] },
  });
  assert.equal(mixed.refused?.error.status, 503);
  assert.deepEqual(mixed.refused?.error.metadata.previous_errors, [
    { provider: 'north', code: 'provider_unavailable', status: 502 },
  ]);
  const gone = await play({
    scripts: { north: [fails('upstream_not_found')], south: [fails('upstream_not_found')] },
  });
  assert.equal(gone.refused?.error.metadata.availability?.code, 'model_unavailable_upstream');
});

test('a length error after output ends the answer as incomplete and is charged', async () => {
  const { events, booked } = await play({
    scripts: { north: [[text('Good ')], [usage], new HeadgateError('upstream_context_length')] },
  });
  const terminal = checkStream(events);
  assert.equal(terminal.status, 'incomplete');
  assert.equal(booked[0]?.cost, 3_900_000n);
});

test('what a cache saved is recorded where the provider reported any of it, zero too', async () => {
  for (const [reported, hasYielded] of [
    [{ cacheRead: 0 }, true],
    [{ cacheWrite: 10 }, true],
    [{ cacheWriteLong: 10 }, true],
    [{}, false],
  ] as const) {
    const counts: Delta = { kind: 'usage', usage: { uncachedInput: 1000, output: 60, ...reported } };
    const { booked } = await play({ scripts: { north: [[text('Good day.')], [counts, stop]] } });
    assert.equal(booked[0]?.cacheDiscount !== undefined, hasYielded, JSON.stringify(reported));
  }
});

test('usage that never came is estimated and marked, never zero', async () => {
  const { booked } = await play({ scripts: { north: [[text('12345678')], [stop]] } });
  assert.equal(booked[0]?.usageEstimated, true);
  assert.equal(booked[0]?.usage.output, countTokens('12345678'));
  assert.ok((booked[0]?.cost ?? 0n) > 0n);
});

test('calls outside allowed_tools and second calls with parallel calls off do not get through', async () => {
  const tools = [
    { type: 'function', name: 'a' },
    { type: 'function', name: 'b' },
  ];
  const call = (block: number, name: string): Delta => ({ kind: 'call', block, form: 'function', name });
  const both: Script = [
    [call(0, 'b'), call(1, 'a'), { kind: 'arguments', block: 1, text: '{}' }],
    [{ kind: 'finish', reason: 'tool_calls' }],
  ];
  const tool_choice = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'a' }] };
  const allowed = await play({ scripts: { north: both }, body: { tools, tool_choice } });
  assert.deepEqual(
    allowed.response?.output.map((item) => 'name' in item && item.name),
    ['a'],
  );
  const single = await play({ scripts: { north: both }, body: { tools, parallel_tool_calls: false } });
  assert.deepEqual(
    single.response?.output.map((item) => 'name' in item && item.name),
    ['b'],
  );
});

test('the bodies sent open the stream when asked for', async () => {
  const { events } = await play({
    scripts: { north: [fails('provider_failed')], south: good },
    body: { debug: { echo_upstream_body: true } },
  });
  assert.deepEqual(
    events.slice(0, 3).map((event) => event.type),
    ['response.debug', 'response.debug', 'response.created'],
  );
  assert.deepEqual(events[1]?.debug, { echo_upstream_body: { sentTo: 'south' } });
});

test('credits and key limits are refused before any provider is called', async () => {
  const debt = await play({ scripts: { north: good }, caller: testCaller(-1n as NanoUsd) });
  assert.deepEqual(
    [debt.refused?.error.status, debt.refused?.error.metadata.limit_source],
    [402, 'service_credits'],
  );
  const empty = await play({ scripts: { north: good }, caller: testCaller(zeroUsd) });
  assert.equal(empty.refused?.error.status, 402);
  const capped = await play({
    scripts: { north: good },
    caller: { ...invoiced, key: { ...invoiced.key, limit: zeroUsd, limitReset: 'daily' } },
  });
  assert.deepEqual(
    [capped.refused?.error.status, capped.refused?.error.metadata.limit_source],
    [402, 'service_key_limit'],
  );
  assert.equal(capped.upstream.calls.length, 0);
  assert.equal(capped.booked.length, 0);
});
