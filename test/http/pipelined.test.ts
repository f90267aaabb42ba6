import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { chatBody, chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

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
async function answersTo(requests: string): Promise<string> {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  socket.write(requests);
  return Buffer.concat(await socket.toArray()).toString();
}

test('what is sent behind a stream, which ends its connection, is neither answered nor charged', async () => {
  const before = upstream.requests.length;
  const answer = await answersTo(requestOf({ stream: true }) + requestOf({}) + requestOf({ stream: true }));
  assert.equal(answer.match(/HTTP\/1\.1 200 OK\r\n/g)?.length, 1);
  assert.match(answer, /data: \[DONE\]/);
  assert.equal(upstream.requests.length - before, 1);
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
