import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkStream, type WireEvent } from '../../test/stream-checker.ts';
import { modelOf, providerOf } from '../../test/support/catalogue.ts';
import { plainByokTerms } from '../../test/support/credentials.ts';
import { routingServices } from '../../test/support/routing-services.ts';
import { type Script, ScriptedUpstream } from '../../test/support/scripted-upstream.ts';
import { spendingServices } from '../../test/support/spending-services.ts';
import type { Model } from '../core/catalogue.ts';
import { countTokens } from '../core/count-tokens.ts';
import type { Delta } from '../core/delta.ts';
import { HeadgateError } from '../core/errors.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import type { NanoUsd } from '../core/money.ts';
import type { ResponseObject } from '../core/response.ts';
import { parseInferenceRequest } from '../http/request/parse-inference-request.ts';
import type { Generation } from '../ports/generations.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Caller } from '../settlement/caller.ts';
import { estimateInputTokens } from '../settlement/estimate.ts';
import { RefusedCall } from './refused-call.ts';
import { run } from './run.ts';
import { ClientGone } from './services.ts';

const windows = { total: 0n, daily: 0n, weekly: 0n, monthly: 0n } as Record<string, bigint>;
const spend = { usage: windows, byokUsage: windows } as unknown as Caller['spend'];

const caller: Caller = {
  key: {
    hash: 'a'.repeat(64),
    accountId: 'user_1',
    workspaceId: null,
    kind: 'inference',
    name: 'k',
    label: 'sk...',
    disabled: false,
    limit: null,
    limitReset: null,
    includeByokInLimit: false,
    expiresAt: null,
    creatorUserId: null,
    externalUser: null,
    createdAt: 0,
    updatedAt: null,
  },
  account: {
    id: 'user_1',
    name: 'a',
    kind: 'personal',
    billingMode: 'invoice',
    freeLimitExempt: false,
    inflightExempt: false,
    zeroRetention: false,
    disabled: false,
    defaultWorkspaceId: null,
    createdAt: 0,
  },
  spend,
  funds: fundsOf(0n),
  credentials: [],
};

function fundsOf(balance: bigint): Caller['funds'] {
  return { balance: balance as NanoUsd, purchasedTotal: 0n as NanoUsd, spentTotal: 0n as NanoUsd };
}

const text = (value: string): Delta => ({ kind: 'text', block: 0, text: value });
const usage: Delta = { kind: 'usage', usage: { uncachedInput: 1000, output: 100 } };
const stop: Delta = { kind: 'finish', reason: 'stop' };
const good: Script = [[{ kind: 'start', upstreamId: 'up-1' }], [text('Good '), text('day.')], [usage, stop]];
const fails = (
  code: 'provider_failed' | 'upstream_rate_limit' | 'upstream_invalid_request' | 'upstream_not_found',
  retryAfter?: number,
) => new HeadgateError(code, `${code} happened.`, { retryAfter });

interface Outcome {
  readonly events: WireEvent[];
  readonly response: ResponseObject | undefined;
  readonly refused: RefusedCall | undefined;
  readonly booked: Generation[];
  readonly upstream: ScriptedUpstream;
}

interface Situation {
  readonly scripts: Readonly<Record<string, Script>>;
  readonly body?: Record<string, unknown>;
  readonly models?: readonly Model[];
  readonly caller?: Caller;
  readonly abortAfterBatches?: { readonly count: number; readonly reason: unknown };
  readonly bookingFails?: boolean;
}

/** Runs one call against scripted endpoints north and south of the model acme/atlas-4, and globex/ibis at south only. */
async function play(situation: Situation): Promise<Outcome> {
  const [north, south] = ['north', 'south'].map((slug) => providerOf({ slug, adapter: 'scripted' }));
  assert.ok(north && south);
  const models = situation.models ?? [
    modelOf('acme/atlas-4', [north, south]),
    modelOf('globex/ibis', [south]),
  ];
  const upstream = new ScriptedUpstream(situation.scripts);
  const booked: Generation[] = [];
  const ledger = {
    settle: async (generation: Generation) => {
      if (situation.bookingFails) throw new HeadgateError('service_unavailable');
      booked.push(generation);
    },
  } as Ledger;
  const abort = new AbortController();
  const call = {
    request: parse({ model: 'acme/atlas-4', input: 'Hello', stream: true, ...situation.body }),
    caller: situation.caller ?? caller,
    generationId: 'gen-1',
    attribution: {},
    receivedAt: Date.now(),
    signal: abort.signal,
  };
  const services = {
    ...routingServices(),
    ...spendingServices(),
    ledger,
    byokTerms: () => plainByokTerms,
    charges: { begin: () => () => {} },
    onSettled: () => {},
    catalogue: () => ({ models: new Map(models.map((model) => [model.id, model])), providers: new Map() }),
    upstreams: new Map([['scripted', upstream]]),
  };
  const events: WireEvent[] = [];
  let refused: RefusedCall | undefined;
  let response: ResponseObject | undefined;
  try {
    const answer = run(call, services);
    for (let count = 0; ; count += 1) {
      if (situation.abortAfterBatches?.count === count)
        setImmediate(() => abort.abort(situation.abortAfterBatches?.reason));
      const { done, value } = await answer.next();
      if (done) {
        response = value;
        break;
      }
      events.push(...(structuredClone(value) as unknown as WireEvent[]));
    }
  } catch (thrown) {
    assert.ok(thrown instanceof RefusedCall, String(thrown));
    refused = thrown;
  }
  return { events, response, refused, booked, upstream };
}

function parse(body: Record<string, unknown>): InferenceRequest {
  const headers = { metadata: 'enabled' };
  return parseInferenceRequest(body, {
    headers,
    aliases: [],
    echoDefaults: false,
    hashEndUser: (raw) => raw,
  });
}

test('an answer is streamed, charged once and told last', async () => {
  const { events, response, booked } = await play({ scripts: { north: good } });
  const terminal = checkStream(events);
  assert.equal(terminal.status, 'completed');
  assert.deepEqual(structuredClone(response), terminal);
  assert.equal(booked.length, 1);
  assert.equal(booked[0]?.cost, 4_500_000n, '1000 x 3 + 100 x 15 USD per million');
  assert.equal(response?.usage?.cost, 0.0045);
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
  const { response, upstream } = await play({
    scripts: { north: [fails('upstream_invalid_request')], south: good },
    body: { models: ['globex/ibis'] },
  });
  assert.equal(response?.model, 'globex/ibis');
  assert.deepEqual(
    upstream.calls.map((call) => call.model.id),
    ['acme/atlas-4', 'globex/ibis'],
  );
  assert.equal(response?.service_metadata?.strategy, 'fallback');
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

test('the status when all failed follows routing.md 5.3', async () => {
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

test('a client that goes away aborts the upstream and pays for what was made', async () => {
  const { booked, upstream, response, refused } = await play({
    scripts: { north: [[text('Good day to you all.')], 'hang'] },
    abortAfterBatches: { count: 1, reason: new ClientGone() },
  });
  assert.equal(response, undefined);
  assert.equal(refused, undefined);
  assert.deepEqual(upstream.closed, ['north']);
  assert.equal(booked.length, 1);
  assert.deepEqual([booked[0]?.cancelled, booked[0]?.usageEstimated], [true, true]);
  assert.ok((booked[0]?.cost ?? 0n) > 0n);
  assert.equal(booked[0]?.usage.output, countTokens('Good day to you all.'));
});

test('a client that leaves before the answer begins pays for the prompt of the endpoint asked', async () => {
  const { booked } = await play({
    scripts: { north: ['hang'] },
    body: { input: 'x'.repeat(4000) },
    abortAfterBatches: { count: 0, reason: new ClientGone() },
  });
  assert.deepEqual(
    [booked[0]?.cancelled, booked[0]?.usageEstimated, booked[0]?.provider, booked[0]?.usage.output],
    [true, true, 'north', 0],
  );
  const tokens = estimateInputTokens(parse({ model: 'acme/atlas-4', input: 'x'.repeat(4000) }).canonical);
  assert.equal(booked[0]?.cost, BigInt(tokens) * 3_000n, '3 USD per million');
  assert.deepEqual(
    booked[0]?.attempts.map(({ status }) => status),
    [499],
    'no failure of the provider',
  );
});

test('a client that leaves while nobody can be reached pays nothing', async () => {
  const { booked } = await play({
    scripts: { north: [new HeadgateError('provider_overloaded')], south: ['unreachable'] },
    abortAfterBatches: { count: 0, reason: new ClientGone() },
  });
  assert.deepEqual(
    booked[0]?.attempts.map(({ provider, status }) => [provider, status]),
    [
      ['north', 529],
      ['south', 499],
    ],
  );
  assert.deepEqual([booked[0]?.cancelled, booked[0]?.cost, booked[0]?.provider], [true, 0n, undefined]);
});

test('leaving the iteration early settles too', async () => {
  const upstream = new ScriptedUpstream({ north: [[text('Good ')], 'hang'] });
  const booked: Generation[] = [];
  const provider = providerOf({ slug: 'north', adapter: 'scripted' });
  const answer = run(
    {
      request: parse({ model: 'acme/atlas-4', input: 'Hi', stream: true }),
      caller,
      generationId: 'gen-2',
      attribution: {},
      receivedAt: 0,
      signal: new AbortController().signal,
    },
    {
      ledger: { settle: async (generation: Generation) => void booked.push(generation) } as unknown as Ledger,
      ...routingServices(),
      ...spendingServices({ clock: { now: () => 0 } }),
      byokTerms: () => plainByokTerms,
      charges: { begin: () => () => {} },
      onSettled: () => {},
      catalogue: () => ({
        models: new Map([['acme/atlas-4', modelOf('acme/atlas-4', [provider])]]),
        providers: new Map(),
      }),
      upstreams: new Map([['scripted', upstream]]),
    },
  );
  await answer.next();
  await answer.return(undefined);
  assert.deepEqual([booked.length, booked[0]?.cancelled, upstream.closed], [1, true, ['north']]);
});

test('an answer whose charge cannot be booked is not told as complete', async () => {
  const { events, response } = await play({ scripts: { north: good }, bookingFails: true });
  const terminal = checkStream(events);
  assert.equal(terminal.status, 'failed');
  assert.equal(response?.error_type, 'provider_overloaded');
  const tooLong = new HeadgateError('upstream_context_length');
  const cutOff = await play({ scripts: { north: [[text('Good ')], [usage], tooLong] }, bookingFails: true });
  assert.equal(checkStream(cutOff.events).status, 'failed', 'nor as one that ended early');
});

test('unstreamed, an answer whose charge cannot be booked is refused', async () => {
  const { response, refused } = await play({
    scripts: { north: good },
    body: { stream: false },
    bookingFails: true,
  });
  assert.deepEqual([response, refused?.error.status], [undefined, 503]);
});

test('a length error after output ends the answer as incomplete and is charged', async () => {
  const { events, booked } = await play({
    scripts: { north: [[text('Good ')], [usage], new HeadgateError('upstream_context_length')] },
  });
  const terminal = checkStream(events);
  assert.equal(terminal.status, 'incomplete');
  assert.equal(booked[0]?.cost, 4_500_000n);
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
  const prepaid = { ...caller, account: { ...caller.account, billingMode: 'prepaid' as const } };
  const debt = await play({ scripts: { north: good }, caller: { ...prepaid, funds: fundsOf(-1n) } });
  assert.deepEqual(
    [debt.refused?.error.status, debt.refused?.error.metadata.limit_source],
    [402, 'service_credits'],
  );
  const empty = await play({ scripts: { north: good }, caller: { ...prepaid, funds: fundsOf(0n) } });
  assert.equal(empty.refused?.error.status, 402);
  const capped = await play({
    scripts: { north: good },
    caller: { ...caller, key: { ...caller.key, limit: 0n as NanoUsd, limitReset: 'daily' } },
  });
  assert.deepEqual(
    [capped.refused?.error.status, capped.refused?.error.metadata.limit_source],
    [402, 'service_key_limit'],
  );
  assert.equal(capped.upstream.calls.length, 0);
  assert.equal(capped.booked.length, 0);
});
