import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chatBody, chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { readStream, textOf } from '../support/read-stream.ts';

let first: FakeUpstream;
let second: FakeUpstream;
let gateway: TestGateway;

before(async () => {
  first = await startFakeUpstream();
  second = await startFakeUpstream();
  const north = providerOf({ slug: 'north', baseUrl: `${first.url}/v1` });
  const south = providerOf({ slug: 'south', baseUrl: `${second.url}/v1` });
  gateway = await startGateway({ models: [modelOf('acme/pair', [north, south])] });
});

after(async () => {
  await gateway.stop();
  await first.close();
  await second.close();
});

const hello = { model: 'acme/pair', input: 'Hello' };
const json = { 'content-type': 'application/json' };

/** A response without what differs from one to the next. */
function comparable(response: Record<string, unknown>): object {
  const { id: _, created_at: __, completed_at: ___, output, ...rest } = response;
  const items = output as { id: string }[];
  return { ...rest, output: items.map(({ id: ____, ...item }) => item) };
}

test('either way of answering gives the same response at the same price, in the mode asked for', async () => {
  first.play({ steps: chatStream('Good ', 'day.'), whole: chatBody('Good ', 'day.') });
  const sent = first.requests.length;
  const { terminal } = await readStream(await gateway.post({ ...hello, stream: true }));
  const body = (await (await gateway.post(hello)).json()) as Record<string, unknown>;
  checkContract('OpenResponsesResult', body);
  assert.equal(textOf(body), 'Good day.');
  assert.deepEqual(comparable(body), comparable(terminal));
  const modes = first.requests.slice(sent).map((request) => (request.body as { stream: unknown }).stream);
  assert.deepEqual(modes, [true, false]);
});

test('an unstreamed answer that breaks off is asked for elsewhere', async () => {
  first.play({ headers: json, steps: [chatBody('Lost.').slice(0, -20)], ending: 'cut' });
  second.play({ whole: chatBody('Found.') });
  const response = await gateway.post(hello);
  assert.equal(response.status, 200);
  assert.equal(textOf((await response.json()) as Record<string, unknown>), 'Found.');
});

test('a provider that answers a streaming client with one body is streamed all the same', async () => {
  first.play({ headers: json, steps: [chatBody('Good day.')] });
  const { terminal } = await readStream(await gateway.post({ ...hello, stream: true }));
  assert.equal(textOf(terminal), 'Good day.');
});
