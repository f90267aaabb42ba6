import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chatBody, chatChunk, chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { readStream } from '../support/read-stream.ts';

let upstream: FakeUpstream;
let gateway: TestGateway;

before(async () => {
  upstream = await startFakeUpstream();
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const config = { responses: { echoDefaults: true, cachedReplayDelay: 0 } };
  gateway = await startGateway({ models: [modelOf('acme/atlas-4', [north])], config });
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

const hello = { model: 'acme/atlas-4', input: 'Hello' };

/** What a suite for the open standard wants to be no null (docs/spec/answers.md#unset-settings). */
const standard = {
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  top_logprobs: 0,
  service_tier: 'default',
  store: false,
  background: false,
  truncation: 'disabled',
  text: { format: { type: 'text' } },
};

test("an answer may hold the open standard's defaults in the place of every null, in each snapshot", async () => {
  upstream.play({ steps: chatStream('Good ', 'day.'), whole: chatBody('Good day.') });
  const whole = await (await gateway.post(hello)).json();
  checkContract('OpenResponsesResult', whole);
  const { events } = await readStream(await gateway.post({ ...hello, stream: true }));
  const snapshots = [whole, ...events.flatMap(({ response }) => (response === undefined ? [] : [response]))];
  assert.equal(snapshots.length, 4);
  for (const snapshot of snapshots) assert.partialDeepStrictEqual(snapshot, standard);
});

test('the tier a provider tells is told instead', async () => {
  const [role = '', ...rest] = chatStream('Good day.');
  upstream.play({ steps: [role, chatChunk({}, null, { service_tier: 'flex' }), ...rest] });
  const { events, terminal } = await readStream(await gateway.post({ ...hello, stream: true }));
  assert.partialDeepStrictEqual(events[0]?.response, { service_tier: 'default' });
  assert.equal(terminal.service_tier, 'flex');
});
