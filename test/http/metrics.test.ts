import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { type TestContext, test } from 'node:test';
import { chatBody, chatChunk, chatStream } from '../fake-upstream/chat-stream.ts';
import { type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { freePort } from '../support/free-port.ts';
import { type GatewayOptions, startGateway, type TestGateway } from '../support/gateway.ts';
import { startHoldingUpstream } from '../support/holding-upstream.ts';
import { readMetrics } from '../support/read-metrics.ts';
import { readStream } from '../support/read-stream.ts';

const good: Script = { steps: chatStream('Good ', 'day.'), whole: chatBody('Good ', 'day.') };
const down: Script = { status: 500, headers: {}, steps: ['no'] };
const breaks: Script = { steps: [chatChunk({ content: 'Go' })], ending: 'cut' };
const hello = { input: 'Hello, what is your name?' };

/** A gateway whose providers play one script each; the model `acme/atlas-4` is at all of them, in that order. */
async function start(
  t: TestContext,
  scripts: Readonly<Record<string, Script>>,
  options: Partial<GatewayOptions> = {},
): Promise<TestGateway> {
  const providers = await Promise.all(
    Object.entries(scripts).map(async ([slug, script]) => {
      const upstream = await startFakeUpstream(script);
      t.after(() => upstream.close());
      return providerOf({ slug, baseUrl: `${upstream.url}/v1` });
    }),
  );
  const models = [modelOf('acme/atlas-4', providers)];
  const gateway = await startGateway({ models, ...options });
  t.after(() => gateway.stop());
  return gateway;
}

async function metricsOf(gateway: TestGateway): Promise<(series: string) => number | undefined> {
  const response = await fetch(`${gateway.url}/metrics`);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  const metrics = readMetrics(await response.text());
  return (series) => metrics.get(series);
}

async function ask(gateway: TestGateway, stream: boolean, more: object = {}): Promise<number> {
  const response = await gateway.post({ model: 'acme/atlas-4', ...hello, stream, ...more });
  await response.text();
  return response.status;
}

test('what requests did is told to the token and the cent', async (t) => {
  const gateway = await start(t, { north: good });
  for (const streamed of [true, false, true]) assert.equal(await ask(gateway, streamed), 200);
  const value = await metricsOf(gateway);
  assert.equal(value('headgate_requests_total{status="200",error_type="none"}'), 3);
  assert.equal(value('headgate_tokens_total{provider="north",direction="input"}'), 27);
  assert.equal(value('headgate_tokens_total{provider="north",direction="output"}'), 6);
  const cost = (27 * 3 + 6 * 15) / 1e6;
  assert.ok(Math.abs((value('headgate_charged_usd_total{provider="north"}') ?? 0) - cost) < 1e-12);
  assert.ok(Math.abs((value('headgate_list_cost_usd_total{provider="north"}') ?? 0) - cost) < 1e-12);
  assert.equal(value('headgate_upstream_attempts_total{provider="north",outcome="success"}'), 3);
  assert.equal(value('headgate_request_duration_seconds_count{streamed="true"}'), 2);
  assert.equal(value('headgate_request_duration_seconds_count{streamed="false"}'), 1);
  assert.equal(value('headgate_time_to_first_token_seconds_count{provider="north"}'), 2);
  assert.equal(value('headgate_commit_duration_seconds_count'), 3);
  assert.equal(value('headgate_commit_failures_total'), 0);
  assert.equal(value('headgate_charges_waiting'), 0, 'a database in memory has no journal');
  assert.equal(value('headgate_requests_running'), 0);
  assert.equal(value('headgate_dependency_state{dependency="database",state="ok"}'), 1);
  assert.equal(value('headgate_dependency_state{dependency="database",state="unreachable"}'), 0);
  assert.ok((value('process_resident_memory_bytes') ?? 0) > 1e7);
});

test('a failed request is counted once, whether its answer had begun or not', async (t) => {
  const gateway = await start(t, { north: down });
  assert.equal(await ask(gateway, false), 502);
  assert.equal(await ask(gateway, true), 502);
  const broken = await start(t, { north: breaks });
  assert.equal(await ask(broken, true), 200);
  const value = await metricsOf(gateway);
  assert.equal(value('headgate_requests_total{status="502",error_type="provider_unavailable"}'), 2);
  assert.equal(value('headgate_upstream_attempts_total{provider="north",outcome="failed"}'), 2);
  const ofBroken = await metricsOf(broken);
  assert.equal(ofBroken('headgate_requests_total{status="200",error_type="provider_unavailable"}'), 1);
  assert.equal(
    ofBroken('headgate_requests_total{status="502",error_type="provider_unavailable"}'),
    undefined,
  );
  assert.equal(ofBroken('headgate_requests_total{status="200",error_type="none"}'), 0);
});

test('a stream that fails after keep-alives is counted once, and told to the log like any other', async (t) => {
  const gateway = await start(t, { north: { ...down, delay: 120 } }, { server: { keepAlive: 30 } });
  const response = await gateway.post({ model: 'acme/atlas-4', ...hello, stream: true });
  const { terminal } = await readStream(response);
  assert.equal(terminal.status, 'failed');
  const value = await metricsOf(gateway);
  assert.equal(value('headgate_requests_total{status="502",error_type="provider_unavailable"}'), 1);
  assert.equal(value('headgate_requests_total{status="200",error_type="provider_unavailable"}'), undefined);
  const told = gateway.log.filter((line) => line.includes('request refused')).map((line) => JSON.parse(line));
  assert.deepEqual(
    told.map(({ id, path, type }) => [id, path, type]),
    [[response.headers.get('x-generation-id'), '/api/v1/responses', 'provider_unavailable']],
  );
});

test('fallbacks and refusals are told apart by result and reason', async (t) => {
  const gateway = await start(t, { north: down, south: good }, { billingMode: 'prepaid' });
  assert.equal(await ask(gateway, false), 402);
  const invoiced = await start(t, { north: down, south: good });
  const inOrder = { provider: { order: ['north', 'south'] } };
  assert.equal(await ask(invoiced, true, inOrder), 200);
  assert.equal(await ask(invoiced, true, { temperature: 9 }), 400);
  assert.equal((await fetch(`${invoiced.url}/nothing`)).status, 404);
  const value = await metricsOf(gateway);
  const credits = 'status="402",limit_source="service_credits",reason="none"';
  assert.equal(value(`headgate_refusals_total{${credits}}`), 1);
  assert.equal(value('headgate_requests_total{status="402",error_type="payment_required"}'), 1);
  const ofInvoiced = await metricsOf(invoiced);
  assert.equal(ofInvoiced('headgate_fallbacks_total{result="answered"}'), 1);
  assert.equal(ofInvoiced('headgate_upstream_attempts_total{provider="north",outcome="failed"}'), 1);
  assert.equal(ofInvoiced('headgate_upstream_attempts_total{provider="south",outcome="success"}'), 1);
  assert.equal(ofInvoiced('headgate_requests_total{status="400",error_type="invalid_request"}'), 1);
  assert.equal(ofInvoiced('headgate_requests_total{status="404",error_type="not_found"}'), 1);
});

test('an answer given twice is counted as it was made: once', async (t) => {
  const gateway = await start(t, { north: good, south: good });
  const failing = await start(t, { north: down });
  for (const one of [gateway, failing]) {
    for (const _ of [1, 2]) {
      const body = { model: 'acme/atlas-4', ...hello };
      await (await one.post(body, { 'idempotency-key': 'a-key-of-mine' })).text();
    }
  }
  const value = await metricsOf(gateway);
  assert.equal(value('headgate_requests_total{status="200",error_type="none"}'), 1);
});

test('running requests and open streams are gauges, and a client that leaves is a 499', async (t) => {
  const upstream = await startHoldingUpstream();
  t.after(() => upstream.close());
  const providers = [providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` })];
  const gateway = await startGateway({ models: [modelOf('acme/atlas-4', providers)] });
  t.after(() => gateway.stop());
  const leaving = new AbortController();
  const streamed = fetch(`${gateway.url}/api/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}` },
    body: JSON.stringify({ model: 'acme/atlas-4', ...hello, stream: true }),
    signal: leaving.signal,
  }).catch(() => undefined);
  const whole = ask(gateway, false);
  await upstream.reached(2);
  const during = await metricsOf(gateway);
  assert.equal(during('headgate_requests_running'), 2);
  assert.equal(during('headgate_streams_open'), 1);
  leaving.abort();
  await streamed;
  const gone = 'headgate_requests_total{status="499",error_type="none"}';
  while ((await metricsOf(gateway))(gone) !== 1);
  upstream.release();
  await whole;
  const after = await metricsOf(gateway);
  assert.equal(after('headgate_requests_running'), 0);
  assert.equal(after('headgate_streams_open'), 0);
});

test('nobody but this machine and a management key reads metrics on the public listener', async (t) => {
  const gateway = await start(t, { north: good });
  const proxied = { 'x-forwarded-for': '203.0.113.7' };
  const asked = (headers: Record<string, string>) => fetch(`${gateway.url}/metrics`, { headers });
  assert.equal((await asked({})).status, 200);
  assert.equal((await asked(proxied)).status, 401);
  assert.equal((await asked({ ...proxied, authorization: `Bearer ${gateway.key}` })).status, 403);
  const management = await gateway.createKey({ kind: 'management' });
  assert.equal((await asked({ ...proxied, authorization: `Bearer ${management}` })).status, 200);
  assert.equal(await askAs('localhost:8484', gateway.url), 200);
  assert.equal(await askAs('[::1]:8484', gateway.url), 200);
  assert.equal(await askAs('page.example:8484', gateway.url), 401, 'a name made to lead to this machine');
  const open = await start(t, { north: good }, { server: { host: '0.0.0.0' } });
  const { port } = new URL(open.url);
  assert.equal((await fetch(`http://127.0.0.1:${port}/metrics`)).status, 401);
});

/** The status of metrics for a client that calls the server so. */
async function askAs(host: string, url: string): Promise<number | undefined> {
  const [response] = await once(get(`${url}/metrics`, { headers: { host } }), 'response');
  response.resume();
  return response.statusCode;
}

test('with a port of their own metrics are there and only there', async (t) => {
  const metricsPort = await freePort();
  const gateway = await start(t, { north: good }, { server: { metricsPort } });
  assert.equal((await fetch(`${gateway.url}/metrics`)).status, 404);
  const metrics = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
  assert.equal(metrics.status, 200);
  assert.ok(readMetrics(await metrics.text()).size > 50);
  assert.equal((await fetch(`http://127.0.0.1:${metricsPort}/api/v1/models`)).status, 404);
});

test('series name neither models nor keys nor accounts', async (t) => {
  const gateway = await start(t, { north: good });
  await ask(gateway, true);
  await ask(gateway, true, { model: 'acme/unheard-of' });
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  for (const word of [
    'atlas',
    'unheard',
    'acme',
    gateway.key,
    gateway.keyHash,
    gateway.account.id,
    'Hello',
  ]) {
    assert.ok(!text.includes(word), word);
  }
});
