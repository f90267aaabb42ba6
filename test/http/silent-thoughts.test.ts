import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { readStream, textOf } from '../support/read-stream.ts';
import { patientTimeouts } from '../support/timeouts.ts';

/* Models think in silence for minutes: what keeps a request alive, and what ends it. */

let upstream: FakeUpstream;
let gateway: TestGateway;

before(async () => {
  upstream = await startFakeUpstream();
  const timeouts = { ...patientTimeouts, firstEvent: 1_500, idle: 1_500, total: 5_000 };
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1`, timeouts });
  gateway = await startGateway({ models: [modelOf('acme/thinker', [north])] });
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

const ask = () => gateway.post({ model: 'acme/thinker', input: 'q', stream: true });
const signs = (text: string, count: number) => Array.from({ length: count }, () => [text, 500]).flat();

for (const [name, sign] of [
  ['a comment', ': still thinking\n\n'],
  ['a blank line', '\n'],
] as const) {
  test(`${name} is a sign of life, before the first event and between two`, async () => {
    const [first = '', ...others] = chatStream('Good day.');
    upstream.play({ steps: [...signs(sign, 4), first, ...signs(sign, 4), ...others] });
    const { terminal } = await readStream(await ask());
    assert.equal(textOf(terminal), 'Good day.');
  });
}

test('silence ends at its limit, and signs of life at that of the whole', async () => {
  upstream.play({ steps: [': thinking\n\n'], ending: 'hang' });
  const silent = (await (await ask()).json()) as { error: { metadata: { provider_code?: string } } };
  assert.equal(silent.error.metadata.provider_code, 'first_event_timeout');
  upstream.play({ steps: signs(': thinking\n\n', 20), ending: 'hang' });
  const endless = (await (await ask()).json()) as { error: { metadata: { provider_code?: string } } };
  assert.equal(endless.error.metadata.provider_code, 'total_timeout');
});
