import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { chatChunk, chatStream, dataEvent } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { readStream, textOf } from '../support/read-stream.ts';

let upstream: FakeUpstream;
let second: FakeUpstream;
let gateway: TestGateway;
/** The same, but soon tells clients that it is still there. */
let impatient: TestGateway;

before(async () => {
  upstream = await startFakeUpstream();
  second = await startFakeUpstream();
  const north = providerOf({ slug: 'north', name: 'NorthGPU', baseUrl: `${upstream.url}/v1` });
  const south = providerOf({ slug: 'south', name: 'SouthGPU', baseUrl: `${second.url}/v1` });
  const models = [modelOf('acme/atlas-4', [north]), modelOf('acme/pair', [north, south])];
  gateway = await startGateway({ models });
  impatient = await startGateway({ models, server: { keepAlive: 60, sendTimeout: 500 } });
});

after(async () => {
  await gateway.stop();
  await impatient.stop();
  await upstream.close();
  await second.close();
});

const hello = { model: 'acme/atlas-4', input: 'Hello' };
const says = (...words: string[]): Script => ({ steps: chatStream(...words) });
const refuses = (status: number, body: unknown = {}, headers: Record<string, string> = {}): Script => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  steps: [JSON.stringify(body)],
});

async function problemOf(
  response: Response,
): Promise<{ code: number; message: string; metadata: Record<string, unknown> }> {
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
  const body = (await response.json()) as {
    error: { code: number; message: string; metadata: Record<string, unknown> };
  };
  checkContract('BadRequestResponse', body);
  assert.equal(body.error.code, response.status);
  return body.error;
}

async function generation(response: Response) {
  const id = response.headers.get('x-generation-id') ?? '';
  assert.match(id, /^gen-\d+-\w{22}$/);
  assert.equal(response.headers.get('x-request-id'), id);
  for (let tries = 0; tries < 100; tries += 1) {
    const found = await gateway.storage.generations.find(id);
    if (found !== undefined) return found;
    await sleep(20);
  }
  return assert.fail('the generation was never booked');
}

test('an unstreamed answer is one body that fits the contract', async () => {
  upstream.play(says('Good ', 'day.'));
  const response = await gateway.post(hello);
  assert.equal(response.status, 200);
  const body = (await response.json()) as Record<string, unknown>;
  checkContract('OpenResponsesResult', body);
  assert.equal(textOf(body), 'Good day.');
  assert.equal((await generation(response)).cost, 57_000n, '9 x 3 + 2 x 15 USD per million');
});

test('a streamed answer obeys framing and grammar, keeps its connection and carries no limits', async () => {
  upstream.play(says('Good ', 'day.'));
  const response = await gateway.post({ ...hello, stream: true });
  const { events, terminal } = await readStream(response);
  assert.equal(textOf(terminal), 'Good day.');
  assert.equal(events.filter((event) => event.type === 'response.output_text.delta').length, 2);
  assert.equal(response.headers.get('connection'), 'keep-alive');
  assert.equal(response.headers.get('cache-control'), 'no-cache');
  assert.equal(response.headers.get('x-accel-buffering'), 'no');
  for (const name of response.headers.keys()) assert.doesNotMatch(name, /^x-ratelimit/);
});

test('letters torn apart by the network arrive whole', async () => {
  const bytes = Buffer.from(chatStream('Zoë ', '日本語 ', '👩‍👩‍👧 ok').join(''));
  const torn = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, index) =>
    bytes.subarray(index * 7, index * 7 + 7),
  );
  upstream.play({ steps: torn });
  const { terminal } = await readStream(await gateway.post({ ...hello, stream: true }));
  assert.equal(textOf(terminal), 'Zoë 日本語 👩‍👩‍👧 ok');
});

test('silence is filled with comments, also before the first event', async () => {
  upstream.play({ delay: 150, steps: [...chatStream('a').slice(0, 2), 150, ...chatStream('b').slice(1)] });
  const { comments, terminal } = await readStream(await impatient.post({ ...hello, stream: true }));
  assert.ok(comments.length >= 2);
  assert.deepEqual(new Set(comments), new Set(['SERVICE PROCESSING']));
  assert.equal(textOf(terminal), 'ab');
});

test('a silence repeats in_progress, for clients that measure the time between events', async () => {
  upstream.play({ delay: 400, steps: [...chatStream('a').slice(0, 2), 400, ...chatStream('b').slice(1)] });
  const { events, comments, terminal } = await readStream(await impatient.post({ ...hello, stream: true }));
  const types = events.map((event) => event.type);
  const first = types.indexOf('response.output_item.added');
  assert.equal(types[0], 'response.created');
  assert.ok(types.slice(0, first).filter((type) => type === 'response.in_progress').length >= 2);
  assert.ok(types.slice(first).includes('response.in_progress'), 'within an item too');
  assert.ok(comments.length >= 3);
  assert.equal(textOf(terminal), 'ab');
  assert.equal(terminal.model, hello.model);
  for (const { response } of events.filter(({ type }) => type === 'response.in_progress'))
    assert.equal((response as { model: string }).model, hello.model);
});

test('with `responses.keep_alive: comments` a silence is comments alone', async (t) => {
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const gateway = await startGateway({
    models: [modelOf(hello.model, [north])],
    server: { keepAlive: 60 },
    config: { responses: { echoDefaults: false, cachedReplayDelay: 0, keepAlive: 'comments' } },
  });
  t.after(() => gateway.stop());
  upstream.play({ delay: 300, steps: chatStream('a') });
  const { events, comments } = await readStream(await gateway.post({ ...hello, stream: true }));
  assert.equal(events.filter(({ type }) => type === 'response.in_progress').length, 1);
  assert.ok(comments.length >= 2);
});

test('an answer is not announced while another model may give it', async (t) => {
  const failing = await startFakeUpstream({ ...refuses(503), delay: 300 });
  t.after(() => failing.close());
  const south = providerOf({ slug: 'south', baseUrl: `${failing.url}/v1` });
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const gateway = await startGateway({
    models: [modelOf('acme/first', [south]), modelOf('acme/second', [north])],
    server: { keepAlive: 60 },
  });
  t.after(() => gateway.stop());
  upstream.play({ steps: chatStream('a') });
  const body = { models: ['acme/first', 'acme/second'], input: 'Hello', stream: true };
  const { events, comments, terminal } = await readStream(await gateway.post(body));
  assert.ok(comments.length >= 2, 'only comments while another model may answer');
  assert.equal(events.filter(({ type }) => type === 'response.in_progress').length, 1);
  assert.equal(terminal.model, 'acme/second');
});

test('a failure after a comment but before an answer is told as a whole failed stream', async () => {
  upstream.play({ ...refuses(503), delay: 150 });
  const { events, terminal } = await readStream(await impatient.post({ ...hello, stream: true }));
  // The second silence announces the answer, and further ones repeat it.
  assert.deepEqual(
    [...new Set(events.map((event) => event.type))],
    ['response.created', 'response.in_progress', 'error', 'response.failed'],
  );
  assert.equal(terminal.error_type, 'provider_overloaded');
});

test('a failure before anything was sent keeps its status, streaming or not', async () => {
  const cases: [Script, number, string][] = [
    [refuses(400, { error: { message: 'messages: no', code: 'bad' } }), 400, 'invalid_request'],
    [refuses(401, { error: { message: 'key sk-1234 wrong' } }), 502, 'provider_unavailable'],
    [refuses(404), 404, 'not_found'],
    [refuses(413), 413, 'payload_too_large'],
    [refuses(422), 422, 'unprocessable'],
    [refuses(429), 429, 'rate_limit_exceeded'],
    [refuses(500), 502, 'provider_unavailable'],
    [refuses(503), 529, 'provider_overloaded'],
    [refuses(504), 524, 'timeout'],
    [{ steps: [], ending: 'cut' }, 502, 'provider_unavailable'],
    [{ steps: ['data: {"nonsense\n\n'] }, 502, 'provider_unavailable'],
    [{ steps: [] }, 502, 'provider_unavailable'],
  ];
  for (const [script, status, type] of cases) {
    for (const stream of [false, true]) {
      upstream.play(script);
      const response = await gateway.post({ ...hello, stream });
      const label = JSON.stringify([script.status, type, stream]);
      // The script before last may still be the one that stays; each request takes the oldest left.
      assert.equal(response.status, status, label);
      const problem = await problemOf(response);
      assert.equal(problem.metadata.error_type, type, label);
      assert.equal(problem.metadata.provider_name, 'NorthGPU', label);
      assert.doesNotMatch(problem.message, /sk-1234/);
    }
  }
});

test("a provider's rate limit passes on its hint, its code and no platform headers", async () => {
  upstream.play(refuses(429, { error: { message: 'slow', code: 'tpm' } }, { 'retry-after': '7' }));
  const response = await gateway.post(hello);
  assert.equal(response.headers.get('retry-after'), '7');
  assert.equal(response.headers.get('x-ratelimit-limit'), null);
  const problem = await problemOf(response);
  assert.equal(problem.metadata.provider_code, 'tpm');
  assert.match(problem.message, /try again in 7 s/);
});

test('another endpoint takes over before the first item and nobody pays for the failure', async () => {
  upstream.play(refuses(500));
  second.play(says('From the south.'));
  const response = await gateway.post({ ...hello, model: 'acme/pair' }, { 'x-service-metadata': 'Enabled' });
  const body = (await response.json()) as Record<string, unknown>;
  checkContract('OpenResponsesResult', body);
  assert.equal(textOf(body), 'From the south.');
  const metadata = body.service_metadata as Record<string, unknown>;
  checkContract('ServiceMetadata', metadata);
  assert.equal(metadata.attempt, 2);
  const booked = await generation(response);
  assert.deepEqual([booked.provider, booked.attempts.length, booked.cost], ['south', 2, 42_000n]);
});

test('metadata comes with errors too, but not unasked', async () => {
  upstream.play(refuses(500));
  second.play(refuses(429));
  const asked = await gateway.post(
    { ...hello, model: 'acme/pair' },
    { 'x-service-experimental-metadata': 'enabled' },
  );
  assert.equal(asked.status, 503);
  const body = (await asked.json()) as { service_metadata: { attempts: unknown[] }; user_id: string };
  checkContract('ServiceMetadata', body.service_metadata);
  assert.equal(body.service_metadata.attempts.length, 2);
  assert.equal(body.user_id, gateway.account.id);
  const unasked = await gateway.post({ ...hello, model: 'acme/pair' });
  assert.ok(!('service_metadata' in ((await unasked.json()) as object)));
});

test('an answer that breaks off is a failed stream, or a failed response with what there was', async () => {
  const broken: Script = { steps: chatStream('Good ', 'day.').slice(0, 2), ending: 'cut' };
  upstream.play(broken);
  const { terminal } = await readStream(await gateway.post({ ...hello, stream: true }));
  assert.equal(terminal.status, 'failed');
  const response = await gateway.post(hello);
  assert.equal(response.status, 200);
  const body = (await response.json()) as Record<string, unknown>;
  checkContract('OpenResponsesResult', body);
  assert.deepEqual([body.status, textOf(body)], ['failed', 'Good ']);
  assert.deepEqual([(await generation(response)).cost, (await generation(response)).insured], [0n, true]);
});

test('a client that leaves closes the upstream and pays for what was made', async () => {
  upstream.play({ steps: chatStream('one ', 'two ', 'three ').slice(0, 4), ending: 'hang' });
  const leaving = new AbortController();
  const response = await fetch(`${gateway.url}/api/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}` },
    body: JSON.stringify({ ...hello, stream: true }),
    signal: leaving.signal,
  });
  const reader = response.body?.getReader();
  let seen = '';
  while (!seen.includes('three')) seen += Buffer.from((await reader?.read())?.value ?? []).toString();
  const closed = upstream.closedConnections(upstream.closed + 1);
  leaving.abort();
  await closed;
  const booked = await generation(response);
  assert.deepEqual([booked.cancelled, booked.usageEstimated, booked.usage.output], [true, true, 3]);
  assert.ok(booked.cost > 0n);
});

test('a slow reader slows the provider instead of filling memory', async () => {
  const word = 'x'.repeat(64 * 1024);
  const chunks = Array.from({ length: 800 }, () => chatChunk({ content: word }));
  upstream.play({ steps: [...chunks, chatChunk({}, 'stop'), 'data: [DONE]\n\n'] });
  const written = upstream.bytesWritten;
  const response = await gateway.post({ ...hello, stream: true });
  const reader = response.body?.getReader();
  await reader?.read();
  await sleep(1_000);
  const taken = upstream.bytesWritten - written;
  assert.ok(taken < 40 * 1024 * 1024, `the gateway took ${taken} bytes nobody reads`);
  await reader?.cancel();
});

for (const stream of [true, false]) {
  test(`a client that takes nothing of ${stream ? 'a stream' : 'an answer'} loses its connection`, {
    timeout: 60_000,
  }, async () => {
    const word = 'x'.repeat(1024 * 1024);
    const chunks = Array.from({ length: 40 }, () => chatChunk({ content: word }));
    upstream.play({ steps: [...chunks, chatChunk({}, 'stop'), 'data: [DONE]\n\n'] });
    const { hostname, port } = new URL(impatient.url);
    const body = JSON.stringify({ ...hello, stream });
    const head = `POST /api/v1/responses HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${impatient.key}\r\ncontent-length: ${body.length}\r\n\r\n`;
    const before = impatient.log.length;
    const socket = connect(Number(port), hostname).pause();
    socket.on('error', () => undefined).write(head + body);
    // Either way it is served, and until then it counts as running.
    while (!impatient.log.slice(before).some((line) => line.includes('"served"'))) await sleep(20);
    while (!(await metricsOf(impatient)).includes('headgate_requests_running 0')) await sleep(20);
    // What was sent of it still waits to be read, so only time tells that no more comes.
    await sleep(3_000);
    const taken = await socket.reduce((sum, part: Buffer) => sum + part.length, 0).catch(() => 0);
    assert.ok(taken < 40 * word.length, `${taken} bytes are a whole answer`);
  });
}

test('an error in the stream of a provider is told by its kind', async () => {
  upstream.play({
    steps: [...chatStream('Good ').slice(0, 2), dataEvent({ error: { message: 'busy', code: 429 } })],
  });
  const { terminal } = await readStream(await gateway.post({ ...hello, stream: true }));
  assert.equal((terminal.error as { code: string }).code, 'rate_limit_exceeded');
});

async function metricsOf({ url }: TestGateway): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}
