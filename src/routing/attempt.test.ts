import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf, providerOf } from '../../test/support/catalogue.ts';
import { testCredential } from '../../test/support/credentials.ts';
import { planOf, targetOf } from '../../test/support/route-plan.ts';
import { type Script, ScriptedUpstream } from '../../test/support/scripted-upstream.ts';
import type { Endpoint, Model } from '../core/catalogue.ts';
import type { Delta } from '../core/delta.ts';
import { type ErrorCode, HeadgateError } from '../core/errors.ts';
import { usualRoutingRules } from '../core/routing-rules.ts';
import { Secret } from '../core/secret.ts';
import { parseInferenceRequest } from '../http/request/parse-inference-request.ts';
import { systemClock } from '../ports/clock.ts';
import type { ProviderCredential } from '../ports/credentials.ts';
import type { ProviderAttempt } from '../ports/generations.ts';
import type { UpstreamCall } from '../ports/upstream.ts';
import { MemoryEndpointStatistics } from '../shared-state/memory/statistics/memory-endpoint-statistics.ts';
import { type AttemptContext, openAnswer } from './attempt.ts';
import type { Target } from './route-plan.ts';

const { canonical } = parseInferenceRequest(
  { model: 'acme/atlas', input: 'Hi' },
  { headers: {}, aliases: [], echoDefaults: false, hashEndUser: (raw: string) => raw },
);
const text = (value: string): Delta => ({ kind: 'text', block: 0, text: value });
const usage: Delta = { kind: 'usage', usage: { output: 10 } };
const stop: Delta = { kind: 'finish', reason: 'stop' };
const good: Script = [[{ kind: 'start' }], [text('Hi')], [usage, stop]];
const fails = (code: ErrorCode, retryAfter?: number): Script => [
  new HeadgateError(code, `${code} happened.`, { retryAfter }),
];

/** Walks a plan; what was tried and said by whom, and what was told on the way. */
async function walk(
  targets: readonly Target[],
  scripts: Readonly<Record<string, Script>>,
  change: Partial<AttemptContext> = {},
) {
  const upstream = new ScriptedUpstream(scripts);
  const statistics = new MemoryEndpointStatistics(systemClock);
  const attempts: ProviderAttempt[] = [];
  const tried: string[] = [];
  const said: Delta[] = [];
  let error: HeadgateError | undefined;
  let answeredBy: string | undefined;
  try {
    const open = await openAnswer(planOf(targets), canonical, {
      upstreams: new Map([['scripted', upstream]]),
      clock: systemClock,
      signal: new AbortController().signal,
      streamed: true,
      statistics,
      health: usualRoutingRules.health,
      fallbacks: true,
      admit: () => undefined,
      onTry: ({ target }) => tried.push(target.endpoint.tag),
      onAttempt: (attempt) => attempts.push(attempt),
      ...change,
    });
    answeredBy = open.target.endpoint.tag;
    for await (const batch of open.batches) said.push(...batch);
  } catch (thrown) {
    assert.ok(thrown instanceof HeadgateError, String(thrown));
    error = thrown;
  }
  const statuses = attempts.map(({ tag, status }) => `${tag} ${status}`);
  const asked = upstream.calls.map(({ endpoint }) => endpoint.tag);
  return { upstream, statistics, statuses, attempts, tried, asked, said, error, answeredBy };
}

function model(id: string, endpoints: Readonly<Record<string, Partial<Endpoint>>>): Model {
  const providers = Object.keys(endpoints).map((slug) => providerOf({ slug, adapter: 'scripted' }));
  const made = modelOf(id, providers);
  const varied = made.endpoints.map((endpoint) => ({ ...endpoint, ...endpoints[endpoint.tag] }));
  return { ...made, endpoints: varied };
}

const targetsOf = (...models: Model[]) =>
  models.flatMap((one) => one.endpoints.map((endpoint) => targetOf(one, endpoint)));

function outcomes(statistics: MemoryEndpointStatistics, endpoint: Endpoint, credentialId?: string) {
  const counts: Partial<Record<string, number>> =
    statistics.outcomes({ endpoint, credentialId })?.outcomes('5m') ?? {};
  return Object.fromEntries(Object.entries(counts).filter(([, count = 0]) => count > 0));
}

test('what a failure rules out is told by its kind, model by model', async () => {
  const atlas = model('acme/atlas', { a1: {}, a2: {} });
  const ibis = model('globex/ibis', { b1: {}, b2: {} });
  const [a1, a2, b1, b2] = targetsOf(atlas, ibis);
  assert.ok(a1 && a2 && b1 && b2);
  const interleaved = [a1, b1, a2, b2];
  const asked = async (first: ErrorCode) => {
    const scripts = { a1: fails(first), b1: fails('provider_failed'), a2: good, b2: good };
    return (await walk(interleaved, scripts)).asked;
  };
  for (const code of ['provider_failed', 'provider_timeout', 'provider_overloaded'] as const)
    assert.deepEqual(await asked(code), ['a1', 'b1', 'a2'], code);
  for (const code of ['upstream_rate_limit', 'upstream_credential', 'upstream_region'] as const)
    assert.deepEqual(await asked(code), ['a1', 'b1', 'a2'], code);
  assert.deepEqual(await asked('upstream_not_found'), ['a1', 'b1', 'a2']);
  for (const code of ['upstream_invalid_request', 'upstream_too_large', 'upstream_unprocessable'] as const)
    assert.deepEqual(await asked(code), ['a1', 'b1', 'b2'], code);
  for (const code of ['upstream_policy', 'upstream_flagged'] as const)
    assert.deepEqual(await asked(code), ['a1', 'b1', 'b2'], code);
  assert.deepEqual(await asked('server'), ['a1'], 'a failure of our own ends it');
});

test('a prompt that is too long goes to larger endpoints, then to the next model', async () => {
  const atlas = model('acme/atlas', {
    middle: { contextLength: 8000 },
    small: { contextLength: 4000 },
    same: { contextLength: 8000 },
    large: { contextLength: 32_000 },
    unstated: {},
  });
  const ibis = model('globex/ibis', { other: {} });
  const long = fails('upstream_context_length');
  const scripts = { middle: long, small: good, same: good, large: long, unstated: long, other: good };
  const { asked, statuses } = await walk(targetsOf(atlas, ibis), scripts);
  assert.deepEqual(asked, ['middle', 'large', 'unstated', 'other']);
  assert.deepEqual(statuses, ['middle 400', 'large 400', 'unstated 400', 'other 200']);
});

test('what a moderated endpoint flags goes to one that is not, what a model refuses to another model', async () => {
  const atlas = model('acme/atlas', {
    strict: { isModerated: true },
    strict2: { isModerated: true },
    free: {},
    free2: {},
  });
  const ibis = model('globex/ibis', { other: {} });
  const all = { strict2: good, free2: good, other: good };
  const flagged = await walk(targetsOf(atlas, ibis), {
    ...all,
    strict: fails('upstream_flagged'),
    free: good,
  });
  assert.deepEqual(flagged.asked, ['strict', 'free']);
  const refused = await walk(targetsOf(atlas, ibis), {
    ...all,
    strict: fails('upstream_policy'),
    free: fails('upstream_policy'),
  });
  assert.deepEqual(refused.asked, ['strict', 'free', 'other']);
});

test('an own credential is named when it fails, and marks nothing but itself', async () => {
  const atlas = model('acme/atlas', { north: {} });
  const [endpoint] = atlas.endpoints;
  assert.ok(endpoint);
  const first = testCredential({ label: 'sk-...aaaa' });
  const second = testCredential({ label: 'sk-...bbbb' });
  const targets = [first, second].map((credential) => targetOf(atlas, endpoint, credential));
  const secrets = {
    open: async ({ label }: Pick<ProviderCredential, 'label'>) => new Secret(`key ${label}`),
  };
  const dead = { north: fails('upstream_credential') };
  const { error, statistics, upstream, attempts } = await walk(targets, dead, { secrets });
  assert.equal(error?.status, 502, 'all credentials at fault is nothing a retry mends');
  assert.equal(error?.metadata.availability, undefined);
  assert.equal(error?.metadata.credential_label, 'sk-...bbbb');
  assert.match(error?.message ?? '', /sk-\.\.\.bbbb/);
  assert.equal(error?.metadata.provider_name, 'north');
  assert.deepEqual(error?.metadata.previous_errors, [
    { provider: 'north', code: 'provider_unavailable', status: 502 },
  ]);
  assert.deepEqual(
    upstream.calls.map((call) => call.endpoint.provider.apiKey?.reveal()),
    ['key sk-...aaaa', 'key sk-...bbbb'],
  );
  assert.ok(attempts.every(({ isByok }) => isByok === true));
  assert.deepEqual(outcomes(statistics, endpoint), {});
  assert.deepEqual(outcomes(statistics, endpoint, first.id), { credential: 1 });
});

test('an own credential falls back to the shared one, without what the operator adds to its calls', async () => {
  const atlas = model('acme/atlas', {});
  const provider = providerOf({ slug: 'north', adapter: 'scripted', headers: { 'x-team': 'operator' } });
  const [endpoint] = modelOf('acme/atlas', [provider]).endpoints;
  assert.ok(endpoint);
  const secret = new Secret('own');
  const open = async () => secret;
  const targets = [targetOf(atlas, endpoint, testCredential()), targetOf(atlas, endpoint)];
  const once = await walk(targets, { north: good }, { secrets: { open } });
  const [own] = once.upstream.calls;
  assert.deepEqual(own?.endpoint.provider.headers, {});
  const again = await walk(targets, { north: good }, { secrets: { open } });
  assert.equal(again.upstream.calls[0]?.endpoint, own?.endpoint, 'adapters remember things of providers');
  const lost = { open: async () => Promise.reject(new HeadgateError('upstream_credential', 'Gone.')) };
  const shared = await walk(targets, { north: good }, { secrets: lost });
  assert.deepEqual(shared.statuses, ['north 502', 'north 200']);
  assert.equal(shared.upstream.calls[0]?.endpoint, endpoint);
});

test('each end of an attempt is told to the statistics once', async () => {
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

test('a 429 keeps an endpoint back as long as it says, within what the rules allow', async () => {
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

test('only streamed answers tell how fast an endpoint is', async () => {
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

/** What an endpoint is known by after one answer of 10 tokens in 100 ms, of which the provider says more on its way. */
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
  const hold = ({ onHeld }: UpstreamCall) => onHeld?.(true);
  assert.deepEqual(await afterAnswer(hold), { throughput: undefined, outcomes: { success: 1 } });
  const holdBriefly = ({ onHeld }: UpstreamCall) => {
    onHeld?.(true);
    onHeld?.(false);
  };
  assert.deepEqual(await afterAnswer(holdBriefly), usual);
  for (const code of ['provider_timeout', 'deadline_exceeded'] as const) {
    assert.deepEqual((await afterAnswer(holdBriefly, code)).outcomes, { broken: 1 });
    assert.deepEqual((await afterAnswer(hold, code)).outcomes, {});
  }
  assert.deepEqual((await afterAnswer(hold, 'provider_failed')).outcomes, { broken: 1 });
});

test('a slow endpoint is overtaken by the next: one answer, the other closed and not counted', async () => {
  const atlas = model('acme/atlas', { slow: { hedgeAfter: 5 }, quick: {}, third: {} });
  const [slow] = atlas.endpoints;
  assert.ok(slow);
  const admitted: string[] = [];
  const admit = ({ endpoint }: Target) => {
    admitted.push(endpoint.tag);
    return undefined;
  };
  const run = await walk(
    targetsOf(atlas),
    { slow: [[{ kind: 'start' }], 'hang'], quick: good, third: good },
    { admit },
  );
  assert.equal(run.answeredBy, 'quick');
  assert.deepEqual(run.said, good.flat());
  assert.deepEqual(run.statuses, ['slow 499', 'quick 200']);
  assert.deepEqual(run.tried, ['slow'], 'who leaves during the race owes for the first alone');
  assert.deepEqual(admitted, ['slow', 'quick', 'quick'], 'what is held is what the winner may cost');
  assert.deepEqual(run.upstream.closed.toSorted(), ['quick', 'slow']);
  assert.deepEqual(outcomes(run.statistics, slow), {});
  assert.equal(run.statistics.answers(slow)?.samples('latency', '5m'), 1, 'it took at least that long');
});

test('a hedge that fails leaves the first endpoint its time, and one that is not admitted is not asked', async () => {
  const atlas = model('acme/atlas', { slow: { hedgeAfter: 5 }, quick: {} });
  let release = () => {};
  const waiting = new Promise<void>((resolve) => {
    release = resolve;
  });
  const late = async (context: Partial<AttemptContext>) => {
    const scripted = new ScriptedUpstream({ quick: fails('provider_failed') });
    const stream = scripted.stream.bind(scripted);
    scripted.stream = async function* (call) {
      if (call.endpoint.tag === 'quick') return yield* stream(call);
      await waiting;
      yield* good.filter((step) => Array.isArray(step));
    };
    return walk(targetsOf(atlas), {}, { upstreams: new Map([['scripted', scripted]]), ...context });
  };
  const failing = late({ onAttempt: () => {} });
  const refusing = late({
    admit: ({ endpoint }) => (endpoint.tag === 'quick' ? new HeadgateError('payment_required') : undefined),
  });
  setTimeout(release, 50);
  assert.equal((await failing).answeredBy, 'slow');
  const refused = await refusing;
  assert.deepEqual([refused.answeredBy, refused.statuses], ['slow', ['slow 200']]);
});

test('when the first endpoint fails during the race, the second is alone and then owed for', async () => {
  const atlas = model('acme/atlas', { slow: { hedgeAfter: 5 }, quick: {}, third: {} });
  const scripted = new ScriptedUpstream({ third: good });
  const stream = scripted.stream.bind(scripted);
  const fail = Promise.withResolvers<void>();
  scripted.stream = async function* (call) {
    const { tag } = call.endpoint;
    if (tag === 'third') return yield* stream(call);
    if (tag === 'slow') await fail.promise;
    else setTimeout(fail.resolve, 1);
    // The second fails only after the first has.
    if (tag === 'quick') await fail.promise.then(() => new Promise((resolve) => setTimeout(resolve, 20)));
    throw new HeadgateError('provider_failed');
  };
  const upstreams = new Map([['scripted', scripted]]);
  const { statuses, tried } = await walk(targetsOf(atlas), {}, { upstreams });
  assert.deepEqual(statuses, ['slow 502', 'quick 502', 'third 200']);
  assert.deepEqual(tried, ['slow', 'quick', 'third']);
});

/** Endpoints that answer well, each 30 ms after it is asked. */
function hesitant(): ScriptedUpstream {
  const scripted = new ScriptedUpstream({ slow: good, quick: good });
  const stream = scripted.stream.bind(scripted);
  scripted.stream = async function* (call) {
    await new Promise((resolve) => setTimeout(resolve, 30));
    yield* stream(call);
  };
  return scripted;
}

test('unstreamed answers are not hurried: they are silent until they are whole', async () => {
  const atlas = model('acme/atlas', { slow: { hedgeAfter: 1 }, quick: {} });
  const { statuses } = await walk(
    targetsOf(atlas),
    {},
    { upstreams: new Map([['scripted', hesitant()]]), streamed: false },
  );
  assert.deepEqual(statuses, ['slow 200']);
});

test('without fallbacks endpoints are asked one by one, however slow the first is', async () => {
  const atlas = model('acme/atlas', { slow: { hedgeAfter: 1 }, quick: {} });
  const upstreams = new Map([['scripted', hesitant()]]);
  const { statuses } = await walk(targetsOf(atlas), {}, { upstreams, fallbacks: false });
  assert.deepEqual(statuses, ['slow 200']);
});

test('without the option nobody is hurried', async () => {
  const atlas = model('acme/atlas', { slow: {}, quick: {} });
  const abort = new AbortController();
  const reason = new HeadgateError('deadline_exceeded');
  setTimeout(() => abort.abort(reason), 40);
  const { asked, error } = await walk(
    targetsOf(atlas),
    { slow: ['hang'], quick: good },
    { signal: abort.signal },
  );
  assert.deepEqual(asked, ['slow']);
  assert.equal(error, reason);
});
