import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { chatBody, chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { configOf, startGateway, type TestGateway } from '../support/gateway.ts';

let upstream: FakeUpstream;
let gateway: TestGateway;

before(async () => {
  upstream = await startFakeUpstream({ steps: chatStream('Good day.'), whole: chatBody('Good day.') });
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  gateway = await startGateway({ models: [modelOf('acme/atlas-4', [north])] });
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

function requestOf(fields: object, ...headers: string[]): string {
  const body = JSON.stringify({ model: 'acme/atlas-4', input: 'Hello', ...fields });
  const own = [`Authorization: Bearer ${gateway.key}`, `Content-Length: ${body.length}`, 'Host: x'];
  return `${['POST /api/v1/responses HTTP/1.1', ...own, ...headers].join('\r\n')}\r\n\r\n${body}`;
}

/** What is answered to requests sent in one piece, until the server closes the connection. */
async function answersTo(requests: string, { url } = gateway): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(requests);
  return Buffer.concat(await socket.toArray()).toString();
}

test('what is sent behind an answer that ends its connection is neither answered nor charged', async (t) => {
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const { compat } = configOf({ models: [] });
  const closing = await startGateway({
    models: [modelOf('acme/atlas-4', [north])],
    config: { compat: { ...compat, closeStreams: true } },
  });
  t.after(() => closing.stop());
  const before = upstream.requests.length;
  const request = (fields: object) => requestOf(fields).replace(gateway.key, closing.key);
  const requests = [request({ stream: true }), request({}), request({ stream: true })];
  const answer = await answersTo(requests.join(''), closing);
  assert.equal(answer.match(/HTTP\/1\.1 200 OK\r\n/g)?.length, 1);
  assert.match(answer, /data: \[DONE\]/);
  assert.equal(upstream.requests.length - before, 1);
});

test('what is sent behind a stream is answered behind it', async () => {
  const before = upstream.requests.length;
  const requests = [{ stream: true }, {}, { stream: true }].map((fields) => requestOf(fields));
  const answer = await answersTo(`${requests.join('')}${requestOf({}, 'Connection: close')}`);
  assert.equal(answer.match(/HTTP\/1\.1 200 OK\r\n/g)?.length, 4);
  assert.equal(answer.match(/data: \[DONE\]\n\n\r\n0\r\n\r\nHTTP\/1\.1 200 OK/g)?.length, 2);
  assert.equal(upstream.requests.length - before, 4);
});

test('requests of one connection are begun one after the other', async () => {
  const before = upstream.requests.length;
  upstream.play({ whole: chatBody('Good day.'), delay: 20 });
  const answer = await answersTo(requestOf({}) + requestOf({}) + requestOf({}, 'Connection: close'));
  assert.equal(answer.match(/HTTP\/1\.1 200 OK\r\n/g)?.length, 3);
  const connections = upstream.requests.slice(before).map(({ connection }) => connection);
  assert.equal(connections.length, 3);
  assert.equal(new Set(connections).size, 1, 'side by side each would have one of its own');
});
