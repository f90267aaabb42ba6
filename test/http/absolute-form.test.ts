import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { listenForMetrics } from '../../src/edge/metrics-listener.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;

before(async () => {
  const sandbox = providerOf({ slug: 'north', adapter: 'sandbox' });
  gateway = await startGateway({ models: [modelOf('acme/echo', [sandbox])] });
});

after(() => gateway.stop());

/** What is answered to a request whose target is written as given. */
async function ask(
  line: string,
  body = '',
  port: string | number = new URL(gateway.url).port,
): Promise<string> {
  const socket = connect(Number(port), '127.0.0.1');
  const lines = [`${line} HTTP/1.1`, 'Host: elsewhere.example', `Authorization: Bearer ${gateway.key}`];
  const more = ['Content-Type: application/json', `Content-Length: ${body.length}`, 'Connection: close'];
  socket.write(`${[...lines, ...more].join('\r\n')}\r\n\r\n${body}`);
  return Buffer.concat(await socket.toArray()).toString();
}

const call = JSON.stringify({ model: 'acme/echo', input: 'Hello' });

test('a target in absolute form reaches every kind of route', async () => {
  for (const [line, body, expected] of [
    ['POST http://gateway.example/api/v1/responses', call, /"status":"completed"/],
    ['POST HTTPS://gateway.example:443/api/v1/responses?x=1', call, /"status":"completed"/],
    ['POST http://gateway.example/api/v1/responses/plan', call, /"route_plan"/],
    ['GET http://gateway.example/api/v1/models?limit=1&offset=0', '', /"acme\/echo"/],
    ['GET http://gateway.example/api/v1/key', '', /"is_management_key"/],
    ['GET http://gateway.example/health/live', '', /"ok"/],
    ['GET http://gateway.example', '', /<title>Headgate/],
  ] as const) {
    const answer = await ask(line, body);
    assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/, line);
    assert.match(answer, expected, line);
  }
});

test('what is nowhere is nowhere in absolute form as well', async () => {
  const answer = await ask('GET http://user:secret@gateway.example/nothing?q');
  assert.match(answer, /^HTTP\/1\.1 404 /);
  assert.match(answer, /There is nothing at GET \/nothing\./);
  assert.doesNotMatch(gateway.log.join(''), /user:secret/);
});

test('the listener of metrics takes it too', async () => {
  const listener = await listenForMetrics({ host: '127.0.0.1', port: 0 }, async () => 'up 1\n');
  try {
    assert.match(await ask('GET http://gateway.example/metrics', '', listener.port), /^HTTP\/1\.1 200 OK/);
  } finally {
    await listener.close();
  }
});
