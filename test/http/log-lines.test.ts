import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { chatBody, chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { readStream } from '../support/read-stream.ts';

let north: FakeUpstream;
let south: FakeUpstream;
let gateway: TestGateway;
let seen = 0;

before(async () => {
  [north, south] = await Promise.all([startFakeUpstream(), startFakeUpstream()]);
  const providers = [
    providerOf({ slug: 'north', baseUrl: `${north.url}/v1` }),
    providerOf({ slug: 'south', baseUrl: `${south.url}/v1` }),
  ];
  gateway = await startGateway({
    models: [modelOf('acme/pair', providers), modelOf('acme/single', providers.slice(0, 1))],
  });
});

beforeEach(() => {
  seen = gateway.log.length;
});

after(async () => {
  await gateway.stop();
  await Promise.all([north.close(), south.close()]);
});

const good: Script = { steps: chatStream('Good day.'), whole: chatBody('Good day.') };
const refuses = (status: number, error: object): Script => ({
  status,
  headers: { 'content-type': 'application/json' },
  steps: [JSON.stringify({ error })],
  whole: undefined,
});
const told = () => gateway.log.slice(seen).map((line) => JSON.parse(line));
const warning = 40;
const information = 30;

test('an answer after failed endpoints warns and names each of them with its reason', async () => {
  north.play(refuses(401, { message: 'Incorrect key for my secret prompt', code: 'invalid_api_key' }));
  south.play(good);
  assert.equal((await gateway.post({ model: 'acme/pair', input: 'my secret prompt' })).status, 200);
  const [line, ...more] = told();
  const { level, msg, status, provider, failures, error } = line;
  assert.deepEqual([level, msg, status, provider, error], [warning, 'served', 200, 'south', undefined]);
  const [{ latency, ...failure }] = failures;
  assert.deepEqual(failure, {
    provider: 'north',
    tag: 'north',
    status: 502,
    reason: 'upstream_credential',
    code: 'invalid_api_key',
  });
  assert.equal(typeof latency, 'number');
  assert.deepEqual(more, []);
  assert.doesNotMatch(gateway.log.join(''), /secret prompt/);
});

test('a request that every endpoint failed is not said to be served, and the refusal names the provider', async () => {
  north.play(refuses(500, { message: 'Broken.', code: 'the prompt was: my secret prompt' }));
  assert.equal((await gateway.post({ model: 'acme/single', input: 'my secret prompt' })).status, 502);
  const [failed, refused] = told();
  assert.deepEqual(
    [failed.level, failed.msg, failed.status, failed.error],
    [warning, 'failed', undefined, 'provider_unavailable'],
  );
  assert.equal(failed.failures[0].reason, 'provider_failed');
  assert.deepEqual([refused.msg, refused.status, refused.provider], ['request refused', 502, 'north']);
  assert.doesNotMatch(gateway.log.join(''), /secret prompt/);
});

test('a stream that broke off says so, one that went well is information without failures', async () => {
  north.play({ ...good, ending: 'cut', steps: chatStream('Good day.').slice(0, 2) });
  await readStream(await gateway.post({ model: 'acme/single', input: 'Hi', stream: true }));
  const [broken] = told();
  assert.deepEqual(
    [broken.level, broken.msg, broken.status, broken.error],
    [warning, 'failed', 200, 'provider_unavailable'],
  );
  seen = gateway.log.length;
  north.play(good);
  await readStream(await gateway.post({ model: 'acme/single', input: 'Hi', stream: true }));
  const [line, ...more] = told();
  assert.deepEqual([line.level, line.msg, line.status, line.finish], [information, 'served', 200, 'stop']);
  assert.equal('failures' in line, false);
  assert.deepEqual(more, []);
});

test('what the request itself is to blame for does not warn', async () => {
  north.play(refuses(400, { message: 'No.', code: 'bad' }));
  assert.equal((await gateway.post({ model: 'acme/single', input: 'Hi' })).status, 400);
  const [failed] = told();
  assert.deepEqual(
    [failed.level, failed.msg, failed.failures[0].reason],
    [information, 'failed', 'upstream_invalid_request'],
  );
});

test('a refusal names the client, whom a header tells only behind a trusted proxy', async (t) => {
  const refuse = async (target: TestGateway, path: string) => {
    const headers = { 'x-forwarded-for': '203.0.113.9, 10.1.2.3', authorization: 'Bearer wrong' };
    const { status } = await fetch(`${target.url}/api/v1${path}`, { method: 'POST', body: '{}', headers });
    assert.equal(status, 401);
    return JSON.parse(target.log.at(-1) ?? '');
  };
  assert.equal((await refuse(gateway, '/responses')).client, '127.0.0.1');
  const behind = await startGateway({ models: [], server: { trustProxy: true } });
  t.after(() => behind.stop());
  assert.equal((await refuse(behind, '/responses')).client, '203.0.113.9');
  assert.equal((await refuse(behind, '/responses/plan')).client, '203.0.113.9');
});
