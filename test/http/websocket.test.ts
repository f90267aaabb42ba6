import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI from 'openai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { WebSocket } from 'ws';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway } from '../support/gateway.ts';
import { connect, SocketClient } from '../support/socket-client.ts';

const model = 'acme/atlas-4';
const tide: Script = { steps: chatStream('High', ' tide.') };

/** A gateway before a provider that answers by these scripts, and what opens connections to it. */
async function start(scripts: readonly Script[], server: object = {}) {
  const upstream = await startFakeUpstream(...scripts);
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const gateway = await startGateway({ models: [modelOf(model, [north])], server });
  return {
    upstream,
    gateway,
    async [Symbol.asyncDispose]() {
      assert.deepEqual(await gateway.storage.ledger.verify(), []);
      await gateway.stop();
      await upstream.close();
    },
  };
}

/** The status and the body of the answer to a handshake that is refused. */
async function refusal(socket: WebSocket): Promise<{ status: number | undefined; text: string }> {
  const [, response] = await once(socket, 'unexpected-response');
  return { status: response.statusCode, text: String(Buffer.concat(await response.toArray())) };
}

let shared: Awaited<ReturnType<typeof start>>;
before(async () => {
  shared = await start([tide]);
});
after(() => shared[Symbol.asyncDispose]());

test('a message is a request: its events are messages, numbered from zero, and it is recorded and charged', async () => {
  const client = await SocketClient.open(shared.gateway);
  client.send({});
  const messages = await client.until('response.completed');
  assert.equal(messages[0]?.type, 'response.created');
  assert.deepEqual(
    messages.map(({ sequence_number }) => sequence_number),
    messages.map((_, index) => index),
  );
  const deltas = messages.filter(({ type }) => type === 'response.output_text.delta');
  assert.equal(deltas.map(({ delta }) => delta).join(''), 'High tide.');
  const second = await client.ask({ stream: true });
  assert.equal(second.response?.status, 'completed');
  client.socket.close();
});

test('the client of OpenAI speaks it', async () => {
  const client = new OpenAI({ baseURL: `${shared.gateway.url}/api/v1`, apiKey: shared.gateway.key });
  const socket = new ResponsesWS(client);
  const text = new Promise<string>((resolve, reject) => {
    let said = '';
    socket.on('response.output_text.delta', ({ delta }) => {
      said += delta;
    });
    socket.on('response.completed', () => resolve(said));
    socket.on('error', reject);
  });
  socket.send({ type: 'response.create', model, input: 'How high?' });
  assert.equal(await text, 'High tide.');
  socket.close();
});

test('a request goes on from the last completed answer of its connection, and from no other', async () => {
  await using world = await start([tide, tide, tide, { status: 400, whole: '{}' }, tide]);
  const client = await SocketClient.open(world.gateway);
  const first = (await client.ask()).response?.id;
  const second = (await client.ask({ input: 'And low?', previous_response_id: first })).response?.id;
  await client.ask({ input: [{ role: 'user', content: 'And when?' }], previous_response_id: second });
  const third = world.upstream.requests[2];
  assert.ok(third);
  const { messages } = third.body as { messages: { role: string; content: string }[] };
  assert.deepEqual(
    messages.map(({ role }) => role),
    ['user', 'assistant', 'user', 'assistant', 'user'],
  );
  assert.deepEqual([messages[0]?.content, messages[4]?.content], ['How high?', 'And when?']);
  const unknown = await client.ask({ previous_response_id: first });
  assert.deepEqual(
    [unknown.type, unknown.status, unknown.error?.code],
    ['error', 400, 'previous_response_not_found'],
  );
  assert.equal(world.upstream.requests.length, 3);
});

test('a turn that fails is forgotten, and so is the one before it', async () => {
  await using world = await start([tide, { status: 400, whole: '{}' }, tide]);
  const client = await SocketClient.open(world.gateway);
  const first = (await client.ask()).response?.id;
  const failed = await client.ask({ previous_response_id: first });
  assert.deepEqual([failed.type, failed.status], ['error', 400]);
  const after = await client.ask({ previous_response_id: first });
  assert.equal(after.error?.code, 'previous_response_not_found');
});

test('one connection knows nothing of the answers of another', async () => {
  const [one, other] = [await SocketClient.open(shared.gateway), await SocketClient.open(shared.gateway)];
  const id = (await one.ask()).response?.id;
  assert.equal((await other.ask({ previous_response_id: id })).error?.code, 'previous_response_not_found');
  one.socket.close();
  other.socket.close();
});

test('what is no request is an error event, and the connection goes on', async () => {
  const client = await SocketClient.open(shared.gateway);
  const wrong: [string, RegExp][] = [
    ['{', /not valid JSON/],
    ['[]', /response\.create/],
    ['{"type":"response.cancel"}', /response\.create/],
    [JSON.stringify({ type: 'response.create', model, input: 'a', stream: false }), /^stream: /],
    [JSON.stringify({ type: 'response.create', model, input: 'a', background: true }), /^background: /],
    [JSON.stringify({ type: 'response.create', model, input: 7 }), /^input/],
    [JSON.stringify({ type: 'response.create', model: 'no/such', input: 'a' }), /no\/such/],
    [JSON.stringify({ type: 'response.create', model, previous_response_id: 7 }), /^previous_response_id/],
  ];
  for (const [sent, message] of wrong) {
    client.socket.send(sent);
    const [last] = (await client.until('error')).slice(-1);
    assert.equal(last?.status, 400, sent);
    assert.match(last?.error?.message ?? '', message);
  }
  assert.equal((await client.ask()).type, 'response.completed');
  client.socket.close();
});

test('a second request while one runs is an error event; the first one goes on', async () => {
  await using world = await start([{ steps: [100, ...chatStream('High', ' tide.')] }]);
  const client = await SocketClient.open(world.gateway);
  client.send({});
  client.send({});
  const messages = await client.until('response.completed');
  const refused = messages.filter(({ type }) => type === 'error');
  assert.deepEqual([refused.length, refused[0]?.status], [1, 400]);
  assert.match(refused[0]?.error?.message ?? '', /running on this connection/);
  assert.equal(world.upstream.requests.length, 1);
});

test('a handshake passes the checks of every request', async () => {
  const { gateway } = shared;
  const url = `${gateway.url}/api/v1/responses`;
  const wrong = await refusal(connect(gateway, { authorization: 'Bearer sk-hg-wrong' }));
  assert.equal(wrong.status, 401);
  assert.equal(JSON.parse(wrong.text).error.metadata.error_type, 'authentication');
  const foreign = await refusal(connect(gateway, { origin: 'https://evil.example' }));
  assert.equal(foreign.status, 403);
  const own = await SocketClient.open(gateway, { origin: gateway.url });
  own.socket.close();
  const query = new WebSocket(`${url.replace('http', 'ws')}?api_key=${gateway.key}`);
  assert.equal((await refusal(query)).status, 401);
  const elsewhere = new WebSocket(`${gateway.url.replace('http', 'ws')}/api/v1/models`);
  await once(elsewhere, 'unexpected-response');
  const plain = await fetch(url, { headers: { authorization: `Bearer ${gateway.key}` } });
  assert.deepEqual([plain.status, plain.headers.get('allow')], [405, 'POST']);
  await plain.body?.cancel();
});

test('an account that is disabled ends its connections with their next message', async () => {
  await using world = await start([tide]);
  const { gateway } = world;
  const client = await SocketClient.open(gateway);
  await client.ask();
  await gateway.storage.accounts.update(gateway.account.id, { disabled: true });
  const refused = await eventually('the refusal', async () => {
    const last = await client.ask();
    return last.status === 401 && last;
  });
  assert.equal(refused.error?.code, 'authentication');
  if (client.socket.readyState !== client.socket.CLOSED) await once(client.socket, 'close');
});

test('a client that leaves aborts its request and pays for what was done', async () => {
  await using world = await start([{ steps: chatStream('High').slice(0, 2), ending: 'hang' }]);
  const client = await SocketClient.open(world.gateway);
  client.send({});
  await client.until('response.output_text.delta');
  client.socket.terminate();
  await world.upstream.closedConnections(1);
});

test('a stopping server lets the running answer end, closes with 1001, and waits for no idle connection', async () => {
  const upstream = await startFakeUpstream({
    steps: chatStream('High', ' tide.').flatMap((step) => [step, 50]),
  });
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const gateway = await startGateway({ models: [modelOf(model, [north])] });
  const [busy, idle] = [await SocketClient.open(gateway), await SocketClient.open(gateway)];
  const closings = Promise.all([once(busy.socket, 'close'), once(idle.socket, 'close')]);
  busy.send({});
  await busy.until('response.created');
  const stopped = gateway.stop();
  assert.equal((await busy.until('response.completed')).at(-1)?.response?.status, 'completed');
  assert.deepEqual(
    (await closings).map(([code]) => code),
    [1001, 1001],
  );
  await stopped;
  await upstream.close();
});

test('a message beyond the limit of a body closes the connection', async () => {
  await using world = await start([tide], { bodyLimit: 100_000 });
  const client = await SocketClient.open(world.gateway);
  client.send({ input: 'x'.repeat(200_000) });
  const [code] = await once(client.socket, 'close');
  assert.equal(code, 1009);
});

test('messages share the room of all bodies, also what is kept of them', async () => {
  await using world = await start([tide], { bodyLimit: 200_000, bodiesLimit: 400_000 });
  const clients = [];
  for (let count = 0; count < 3; count += 1) {
    const client = await SocketClient.open(world.gateway);
    clients.push(client);
    const isAnswered = await client.isAnswered({ input: 'x'.repeat(150_000) });
    if (count === 0) assert.equal(isAnswered, true);
    if (count === 2) assert.equal(isAnswered, false, 'the third one finds no room');
  }
  clients[0]?.socket.terminate();
  await eventually('room again', async () => {
    const client = await SocketClient.open(world.gateway);
    return client.isAnswered({ input: 'x'.repeat(150_000) });
  });
});

test('a key has 200 connections at most', async () => {
  await using world = await start([tide]);
  const clients = await Promise.all(Array.from({ length: 200 }, () => SocketClient.open(world.gateway)));
  const { status, text } = await refusal(connect(world.gateway));
  assert.deepEqual([status, JSON.parse(text).error.metadata.error_type], [429, 'rate_limit_exceeded']);
  clients[0]?.socket.terminate();
  await eventually('a free place', async () => {
    const socket = connect(world.gateway);
    socket.on('error', () => undefined);
    return Promise.race([
      once(socket, 'open').then(() => true),
      once(socket, 'unexpected-response').then(() => false),
    ]);
  });
});

test('a client that pings and reads nothing is sent no more than fits, and others are answered', async () => {
  const client = await SocketClient.open(shared.gateway);
  client.socket.pause();
  for (let count = 0; count < 5_000; count += 1) client.socket.ping('x'.repeat(100));
  await sleep(50);
  const other = await SocketClient.open(shared.gateway);
  assert.equal((await other.ask()).type, 'response.completed');
  client.socket.terminate();
  other.socket.close();
});
