import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { chatChunk, chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { readStream, textOf } from '../support/read-stream.ts';

let upstream: FakeUpstream;
let gateway: TestGateway;

beforeEach(async () => {
  upstream = await startFakeUpstream();
  const north = providerOf({ slug: 'north', name: 'NorthGPU', baseUrl: `${upstream.url}/v1` });
  gateway = await startGateway({ models: [modelOf('acme/atlas-4', [north])], server: { keepAlive: 60 } });
});

afterEach(async () => {
  await gateway.stop();
  await upstream.close();
});

const hello = { model: 'acme/atlas-4', input: 'Hello' };
const streamed = { ...hello, stream: true };
const key = (name: string) => ({ 'idempotency-key': name });
/** Silence in the middle, so that others can join. */
const slowly = (milliseconds: number): Script => {
  const [first = '', ...rest] = chatStream('Good ', 'day.');
  return { steps: [first, milliseconds, ...rest] };
};
const spent = async () => (await gateway.storage.ledger.keySpend(gateway.keyHash, Date.now())).usage.total;

test('a finished answer is read again: the same bytes, one call, one charge', async () => {
  upstream.play({ steps: chatStream('Good ', 'day.') });
  const first = await gateway.post(hello, key('a'));
  const second = await gateway.post(hello, key('a'));
  const [body, again] = [await first.text(), await second.text()];
  assert.equal(first.status, 200);
  assert.equal(again, body);
  checkContract('OpenResponsesResult', JSON.parse(body));
  assert.equal(second.headers.get('idempotent-replayed'), 'true');
  assert.equal(first.headers.get('idempotent-replayed'), null);
  assert.equal(second.headers.get('x-generation-id'), first.headers.get('x-generation-id'));
  assert.equal(upstream.requests.length, 1);
  assert.equal(Number(await spent()) / 1e9, JSON.parse(body).usage.cost);

  assert.equal((await gateway.post(hello, key('b'))).status, 200);
  assert.equal(upstream.requests.length, 2, 'another key is another request');
});

test('another API key of the account asks for an answer of its own', async () => {
  upstream.play({ steps: chatStream('Good ', 'day.') });
  const other = await gateway.createKey();
  const first = await gateway.post(hello, key('a'));
  const second = await gateway.post(hello, { ...key('a'), authorization: `Bearer ${other}` });
  assert.deepEqual([first.status, second.status], [200, 200]);
  assert.equal(second.headers.get('idempotent-replayed'), null);
  assert.equal(upstream.requests.length, 2);
});

test('a running stream is joined from its start and goes on live', async () => {
  upstream.play(slowly(400));
  const first = gateway.post(streamed, key('a'));
  while (upstream.requests.length === 0) await sleep(5);
  await sleep(100);
  const joined = await gateway.post(streamed, key('a'));
  const [one, two] = [await readStream(await first), await readStream(joined)];
  assert.deepEqual(two.events, one.events);
  assert.equal(textOf(two.terminal), 'Good day.');
  assert.equal(upstream.requests.length, 1);
  const replay = await readStream(await gateway.post(streamed, key('a')));
  assert.deepEqual(replay.events, one.events);
});

test('an answer is made to its end when its client goes, and waits for it', async () => {
  upstream.play(slowly(300));
  const abort = new AbortController();
  const lost = fetch(`${gateway.url}/api/v1/responses`, {
    method: 'POST',
    signal: abort.signal,
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json', ...key('a') },
    body: JSON.stringify(streamed),
  }).then((response) => response.text());
  while (upstream.requests.length === 0) await sleep(5);
  abort.abort();
  await assert.rejects(lost);
  const again = await readStream(await gateway.post(streamed, key('a')));
  assert.equal(textOf(again.terminal), 'Good day.');
  assert.equal(upstream.requests.length, 1);
});

test('a key used for another body is a 422', async () => {
  upstream.play({ steps: chatStream('Good ', 'day.') });
  await gateway.post(hello, key('a'));
  const other = await gateway.post({ ...hello, input: 'Bye' }, key('a'));
  assert.equal(other.status, 422);
  const { error } = (await other.json()) as { error: { message: string } };
  assert.match(error.message, /^Idempotency-Key: /);
  const mode = await gateway.post(streamed, key('a'));
  assert.equal(mode.status, 422, 'the same request as a stream is another one');
  const flagged = await gateway.post(hello, { ...key('a'), 'x-anthropic-beta': 'one' });
  assert.equal(flagged.status, 422, 'and so is one that asks for unreleased features');
  assert.equal((await gateway.post(hello, key('k'.repeat(256)))).status, 400);
  assert.equal(upstream.requests.length, 1);
});

test('equal JSON is the same body, however its members are ordered; an array is not', async () => {
  upstream.play({ steps: chatStream('Good ', 'day.') });
  const said = [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Good day.' },
    { role: 'user', content: 'Bye' },
  ];
  const turned = said.map(({ role, content }) => ({ content, role }));
  assert.equal((await gateway.post({ model: hello.model, input: said, top_p: 1 }, key('a'))).status, 200);
  const again = await gateway.post({ top_p: 1, input: turned, model: hello.model }, key('a'));
  assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [200, 'true']);
  const [first, second, third] = said;
  const swapped = { model: hello.model, input: [third, second, first], top_p: 1 };
  assert.equal((await gateway.post(swapped, key('a'))).status, 422);
  assert.equal(upstream.requests.length, 1);
});

test('nothing follows the end of a stream, first or replayed', async () => {
  upstream.play({ steps: chatStream('Good ', 'day.') });
  const headers = { authorization: `Bearer ${gateway.key}`, ...key('a') };
  for (const _time of ['first', 'replayed']) {
    const sending = request(`${gateway.url}/api/v1/responses`, { method: 'POST', headers });
    const failed = new Promise<Error | undefined>((resolve) => {
      sending.on('error', resolve).on('close', () => resolve(undefined));
    });
    sending.end(JSON.stringify(streamed));
    const [answer] = (await once(sending, 'response')) as [IncomingMessage];
    answer.resume();
    assert.equal(await failed, undefined);
  }
});

test('a body too deep to be compared is a 400', async () => {
  const depth = 100_000;
  const body = `{"model":"acme/atlas-4","input":"Hello","unread":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  const response = await fetch(`${gateway.url}/api/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json', ...key('a') },
    body,
  });
  assert.equal(response.status, 400);
  assert.match(await response.text(), /nested deeper/);
  assert.equal(upstream.requests.length, 0);
});

test('a refused or failed request is not kept: sending it again tries again', async () => {
  const fails: Script = { status: 503, headers: { 'content-type': 'application/json' }, steps: ['{}'] };
  upstream.play(fails, fails, { steps: chatStream('Good ', 'day.') });
  const [first, joined] = await Promise.all([gateway.post(hello, key('a')), gateway.post(hello, key('a'))]);
  assert.equal(first.status, joined.status);
  assert.ok(first.status >= 500);
  checkContract('BadRequestResponse', await first.json());
  const later = await gateway.post(hello, key('a'));
  const last = later.status === 200 ? later : await gateway.post(hello, key('a'));
  assert.equal(last.status, 200);
});

test('a stream that could not begin after comments were sent fails within it', async () => {
  upstream.play({ status: 503, delay: 200, headers: { 'content-type': 'application/json' }, steps: ['{}'] });
  const response = await gateway.post(streamed, key('a'));
  assert.equal(response.status, 200);
  const { terminal: answer } = await readStream(response);
  assert.equal(answer.status, 'failed');
});

test('a refused one is told to the log like any other', async () => {
  upstream.play({ status: 429, headers: { 'content-type': 'application/json' }, steps: ['{}'] });
  const response = await gateway.post(hello, key('a'));
  assert.equal(response.status, 429);
  const told = gateway.log.filter((line) => line.includes('request refused')).map((line) => JSON.parse(line));
  assert.equal(told.length, 1);
  const { id, method, path, status, type, reason } = told[0];
  assert.equal(id, response.headers.get('x-generation-id'));
  assert.deepEqual([method, path, status, type], ['POST', '/api/v1/responses', 429, 'rate_limit_exceeded']);
  assert.equal(typeof reason, 'string');
});

test('accounts are apart, and one with zero retention keeps nothing', async () => {
  upstream.play({ steps: chatStream('Good ', 'day.') });
  await gateway.storage.accounts.update(gateway.account.id, { zeroRetention: true });
  await gateway.post(hello, key('a'));
  const second = await gateway.post(hello, key('a'));
  assert.equal(second.headers.get('idempotent-replayed'), null);
  assert.equal(upstream.requests.length, 2);
});

test('ten equal requests at once are one call and one charge', async () => {
  upstream.play(slowly(100));
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => gateway.post(hello, key('a')).then((response) => response.json())),
  );
  assert.equal(upstream.requests.length, 1);
  for (const answer of answers) assert.deepEqual(answer, answers[0]);
  const { usage } = answers[0] as { usage: { cost: number } };
  assert.equal(Number(await spent()) / 1e9, usage.cost);
});

test('a streamed answer that ends incomplete is read again: one call, one charge', async () => {
  const [first = '', second = '', , ...usage] = chatStream('Good day');
  upstream.play({ steps: [first, second, chatChunk({}, 'length'), ...usage] });
  const one = await readStream(await gateway.post(streamed, key('a')));
  assert.equal(one.terminal.status, 'incomplete');
  const charged = await spent();
  assert.ok(charged > 0n);
  const replay = await gateway.post(streamed, key('a'));
  assert.equal(replay.headers.get('idempotent-replayed'), 'true');
  assert.deepEqual((await readStream(replay)).events, one.events);
  assert.equal(upstream.requests.length, 1);
  assert.equal(await spent(), charged);
});

test('a stream that fails after it began is not kept: sending it again tries again', async () => {
  const [first = '', second = '', ...rest] = chatStream('Good ', 'day.');
  upstream.play({ steps: [first, second] }, { steps: [first, second, ...rest] });
  const cut = await readStream(await gateway.post(streamed, key('a')));
  assert.equal(cut.terminal.status, 'failed');
  const again = await gateway.post(streamed, key('a'));
  assert.equal(again.headers.get('idempotent-replayed'), null);
  assert.equal((await readStream(again)).terminal.status, 'completed');
  assert.equal(upstream.requests.length, 2);
});
