import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { chatBody, chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { callStream } from '../turns/second-opinion.ts';

let upstream: FakeUpstream;
let gateway: TestGateway;

before(async () => {
  upstream = await startFakeUpstream({});
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  gateway = await startGateway({
    models: [modelOf('acme/atlas-4', [north])],
    config: {
      presets: {
        kept: { config: { model: 'acme/atlas-4', cache_enabled: true, cache_ttl_seconds: 60 } },
        never: { config: { model: 'acme/atlas-4', cache_enabled: false } },
      },
    },
  });
});

beforeEach(() => upstream.play({ steps: chatStream('Good ', 'day.'), whole: chatBody('Good day.') }));

after(async () => {
  await gateway.stop();
  await upstream.close();
});

const cached = { 'x-service-cache': 'true' };
let unique = 0;
/** A body no other test sends. */
const fresh = (rest: object = {}) => ({ model: 'acme/atlas-4', input: `Question ${unique++}`, ...rest });

async function ask(body: object, headers: Record<string, string> = cached) {
  const calls = upstream.requests.length;
  const response = await gateway.post(body, headers);
  const text = await response.text();
  const header = (name: string) => response.headers.get(`x-service-cache-${name}`);
  return {
    status: response.status,
    text,
    cache: header('status'),
    ttl: header('ttl'),
    age: header('age'),
    source: header('source-id'),
    id: response.headers.get('x-generation-id'),
    called: upstream.requests.length > calls,
  };
}

/** An answer without what is new each time: ids, times and usage. */
function lasting(text: string): string {
  return text
    .replace(/"(resp|msg)_[A-Za-z0-9]+"/g, '"id"')
    .replace(/"(created_at|completed_at)":\d+/g, '"time":0')
    .replace(/"usage":\{.*?\}\}(,"|\})/g, '"usage":0$1');
}

test('an equal request gets the same answer with new ids at no cost', async () => {
  const body = fresh();
  const first = await ask(body);
  assert.deepEqual([first.cache, first.ttl, first.source], ['MISS', '300', null]);
  const second = await ask(body, { ...cached, 'x-service-metadata': 'enabled' });
  assert.deepEqual([second.cache, second.called, second.source], ['HIT', false, first.id]);
  assert.notEqual(second.id, first.id);
  assert.ok(Number(second.ttl) <= 300 && Number(second.age) >= 0);
  assert.equal(lasting(second.text), lasting(first.text));
  const { usage, id, service_metadata: metadata } = JSON.parse(second.text);
  assert.deepEqual([usage.input_tokens, usage.output_tokens, usage.cost, metadata], [0, 0, 0, undefined]);
  assert.notEqual(id, JSON.parse(first.text).id);
});

test('a stream is replayed event by event; streamed and whole answers are kept apart', async () => {
  const body = fresh({ stream: true });
  const first = await ask(body);
  const second = await ask(body);
  assert.deepEqual([first.cache, second.cache, second.called], ['MISS', 'HIT', false]);
  assert.equal(lasting(second.text), lasting(first.text));
  assert.match(second.text, /\[DONE\]/);
  assert.equal((await ask({ ...body, stream: false })).cache, 'MISS');
});

test('only what asks is cached; order of members and explicit defaults count, white space does not', async () => {
  const body = fresh();
  assert.equal((await ask(body, {})).cache, null);
  assert.equal((await ask(body, { 'x-service-cache': 'false' })).cache, null);
  assert.equal((await ask(body)).cache, 'MISS');
  const { model, input } = body;
  const spaced = await gateway.post(JSON.stringify(body, undefined, 2), cached);
  assert.equal(spaced.headers.get('x-service-cache-status'), 'HIT');
  assert.equal((await ask({ input, model })).cache, 'MISS');
  assert.equal((await ask({ ...body, stream: false })).cache, 'MISS');
  assert.equal((await ask(body, { ...cached, 'x-service-strict': 'true' })).cache, 'MISS');
  assert.equal((await ask(body, { ...cached, 'x-service-cache-clear': 'true' })).cache, 'MISS');
  assert.equal((await ask(body)).cache, 'HIT');
});

test('the lifetime is read by its first digits, within bounds', async () => {
  for (const [value, ttl] of [
    ['60abc', '60'],
    ['1.5', '1'],
    ['0', '1'],
    ['999999', '86400'],
    ['soon', '300'],
  ] as const) {
    assert.equal((await ask(fresh(), { ...cached, 'x-service-cache-ttl': value })).ttl, ttl, value);
  }
});

test('a preset turns caching on, and off for good', async () => {
  const body = { preset: 'kept', input: `Question ${unique++}` };
  assert.deepEqual([(await ask(body, {})).ttl, (await ask(body, {})).cache], ['60', 'HIT']);
  assert.equal((await ask(body, { 'x-service-cache': 'false' })).cache, null);
  assert.equal((await ask({ preset: 'never', input: 'Hi' })).cache, null);
});

test('other keys, zero retention and failures share nothing', async () => {
  const body = fresh();
  await ask(body);
  const other = await gateway.createKey();
  assert.equal((await ask(body, { ...cached, authorization: `Bearer ${other}` })).cache, 'MISS');
  const zdr = fresh({ provider: { zdr: true } });
  assert.deepEqual([(await ask(zdr)).cache, (await ask(zdr)).called], [null, true]);
  const failing = fresh();
  upstream.play({ status: 400, headers: { 'content-type': 'application/json' }, steps: ['{}'] });
  const failed = await ask(failing);
  assert.deepEqual([failed.status, failed.cache], [400, null]);
  upstream.play({ whole: chatBody('Good day.') });
  const cut = fresh({ stream: true });
  upstream.play({ steps: chatStream('Good ', 'day.').slice(0, 2), ending: 'cut' });
  await ask(cut);
  upstream.play({ steps: chatStream('Good ', 'day.') });
  assert.equal((await ask(cut)).called, true);
});

test('1,000 equal requests at once are each answered; afterwards there is one kept answer', async () => {
  const body = fresh();
  const before = upstream.requests.length;
  const answers = await Promise.all(Array.from({ length: 1_000 }, () => gateway.post(body, cached)));
  const texts = await Promise.all(answers.map((answer) => answer.text()));
  assert.ok(answers.every(({ status }) => status === 200));
  const misses = answers.filter(({ headers }) => headers.get('x-service-cache-status') === 'MISS').length;
  assert.equal(upstream.requests.length - before, misses);
  assert.ok(misses >= 1);
  assert.equal(new Set(texts.map(lasting)).size, 1);
  assert.equal((await ask(body)).cache, 'HIT');
});

test('answers in which a tool ran that may change something are not kept', async () => {
  const body = fresh({ tools: [{ type: 'service:datetime' }] });
  const turns = () =>
    upstream.play({ steps: callStream(['service_datetime', '{}']) }, { steps: chatStream('Late.') });
  for (let time = 0; time < 2; time += 1) {
    turns();
    const { cache, called } = await ask({ ...body, stream: true });
    assert.deepEqual([cache, called], ['MISS', true]);
  }
});

test('replayed streams pause between their events as configured, and metrics say what hits saved', async (t) => {
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const slow = await startGateway({
    models: [modelOf('acme/atlas-4', [north])],
    config: { responses: { echoDefaults: false, cachedReplayDelay: 30 } },
  });
  t.after(() => slow.stop());
  const post = async () => {
    const began = performance.now();
    const response = await slow.post({ model: 'acme/atlas-4', input: 'Hi', stream: true }, cached);
    const text = await response.text();
    return { text, took: performance.now() - began, cache: response.headers.get('x-service-cache-status') };
  };
  await post();
  const hit = await post();
  assert.equal(hit.cache, 'HIT');
  const deltas = hit.text.split('event: response.output_text.delta').length - 1;
  assert.ok(deltas >= 2 && hit.took >= 30 * (deltas - 1), `${deltas} deltas in ${hit.took} ms`);
  const metrics = await (await slow.get('/metrics')).text();
  assert.match(metrics, /^headgate_answer_cache_hits_total 1$/m);
  assert.match(metrics, /^headgate_answer_cache_misses_total 1$/m);
  // 9 tokens of input at 3 USD and 2 of output at 15 USD a million.
  assert.match(metrics, /^headgate_answer_cache_saved_usd_total 0\.000057$/m);
});

test('hits and what they saved are in the reports of their key, at once after a stop or within seconds', async () => {
  const key = await gateway.createKey({ label: 'sk-hg-...hits' });
  const body = fresh();
  const headers = { ...cached, authorization: `Bearer ${key}` };
  const first = await ask(body, headers);
  for (let times = 0; times < 3; times += 1) assert.equal((await ask(body, headers)).cache, 'HIT');
  const record = await gateway.storage.generations.find(first.id ?? '');
  assert.ok(record !== undefined && record.cost > 0n);
  const saved = 3n * record.cost;
  const read = async (query = '') => {
    const response = await gateway.get(`/api/v1/usage/series?bucket=1h${query}`, {
      authorization: `Bearer ${key}`,
    });
    // biome-ignore lint/suspicious/noExplicitAny: a body of the wire.
    return ((await response.json()) as any).data.cached_answers;
  };
  await eventually('the hits in the series', async () => (await read()).total.hits === 3);
  const { total, series } = await read();
  assert.deepEqual(total, { hits: 3, saved_nano: String(saved) });
  assert.equal(
    series.reduce((sum: number, { hits }: { hits: number }) => sum + hits, 0),
    3,
  );
  assert.deepEqual(await read('&model=acme/other'), {
    total: { hits: 0, saved_nano: '0' },
    series: series.map(() => ({ hits: 0, saved_nano: '0' })),
  });
  assert.equal(await read('&provider=north'), null);
  const groups = await gateway.storage.cachedHits.groups(0, 'key');
  assert.deepEqual(
    groups.find(({ group }) => group === 'sk-hg-...hits'),
    { group: 'sk-hg-...hits', hits: 3, saved },
  );
});
