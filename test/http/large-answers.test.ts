import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { chatBody, chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { readStream, textOf } from '../support/read-stream.ts';

const word = `${'grün "😀"\\\n'.repeat(1_000)}\ud83d`;
const words = Array.from({ length: 200 }, () => [word, '\ude00']).flat();
const keyed: Record<string, string> = { 'idempotency-key': 'a' };
/** Headers of requests: without a key, the first with it, and a replay. */
const sent = [{}, keyed, keyed];
/** About two million characters, of which some are divided between pieces. */
const said = words.join('');
const hello = { model: 'acme/atlas-4', input: 'Hello' };

let upstream: FakeUpstream;
let gateway: TestGateway;

beforeEach(async () => {
  upstream = await startFakeUpstream({ steps: chatStream(...words), whole: chatBody(said) });
  const north = providerOf({ slug: 'north', name: 'NorthGPU', baseUrl: `${upstream.url}/v1` });
  gateway = await startGateway({ models: [modelOf('acme/atlas-4', [north])], server: { keepAlive: 5 } });
});

afterEach(async () => {
  await gateway.stop();
  await upstream.close();
});

test('an answer of megabytes is streamed whole, in events that are legal, also when it is replayed', async () => {
  for (const headers of sent) {
    const { events, terminal } = await readStream(await gateway.post({ ...hello, stream: true }, headers));
    assert.equal(textOf(terminal) === said, true);
    assert.equal(terminal.status, 'completed');
    const dones = events.filter(({ type }) => String(type).endsWith('.done'));
    assert.deepEqual(
      dones.map(({ type }) => type),
      ['response.output_text.done', 'response.content_part.done', 'response.output_item.done'],
    );
  }
});

test('an answer of megabytes that is not streamed has a length, also when it is replayed', async () => {
  for (const headers of sent) {
    const response = await gateway.post(hello, headers);
    const text = await response.text();
    assert.equal(response.headers.get('content-length'), String(Buffer.byteLength(text)));
    const answer = JSON.parse(text);
    checkContract('OpenResponsesResult', answer);
    assert.equal(textOf(answer) === said, true);
  }
});
