import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { Secret } from '../../src/util/secret.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { validBodies } from '../generators/valid-bodies.ts';
import { itemSamples, toolSamples } from '../samples/request-kinds.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const adapters = ['openai-chat', 'openai-responses', 'anthropic-messages', 'google-gemini'];

let upstream: FakeUpstream;
let gateway: TestGateway;

before(async () => {
  const refusal = JSON.stringify({ error: { message: 'A provider that takes nothing.' } });
  upstream = await startFakeUpstream({
    status: 400,
    headers: { 'content-type': 'application/json' },
    steps: [refusal],
    whole: refusal,
  });
  const models = adapters.map((adapter) => {
    const apiKey = new Secret('a-key-of-this-test');
    const provider = providerOf({ slug: adapter, adapter, baseUrl: `${upstream.url}/v1`, apiKey });
    return { ...modelOf(`acme/${adapter}`, [provider]), inputModalities: ['text', 'image', 'file'] as const };
  });
  gateway = await startGateway({ models });
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

/** A request either reached the provider, or its dialect has no words for something. */
const clean = new Map([
  [
    400,
    /^(A provider that takes nothing|The provider takes |prompt: no endpoint|input: holds nothing but blank text|input\[\d+\]: only the maker of a compaction|[\w.[\]]+: acme\/[\w-]+ is served by )/,
  ],
]);

/** Files go to the provider as they are: reading them here is another matter. */
const plugins = [{ id: 'file-parser', enabled: false }];

async function assertClean(body: object): Promise<void> {
  const response = await gateway.post({ ...body, plugins });
  const answer = (await response.json()) as { error?: { message: string } };
  const message = answer.error?.message ?? '';
  const expected = clean.get(response.status);
  assert.ok(expected?.test(message), `${response.status} ${message}\n${JSON.stringify(body).slice(0, 600)}`);
}

for (const adapter of adapters) {
  const model = `acme/${adapter}`;

  test(`every kind of item reaches ${adapter} or is refused with a reason`, async () => {
    for (const samples of Object.values(itemSamples)) {
      for (const sample of samples) {
        await assertClean({ model, input: [sample, { role: 'user', content: 'Go on.' }] });
      }
    }
  });

  test(`every kind of tool reaches ${adapter} or is refused with a reason`, async () => {
    for (const samples of Object.values(toolSamples)) {
      for (const sample of samples) await assertClean({ model, input: 'Go on.', tools: [sample] });
    }
  });

  test(`whatever is valid reaches ${adapter} or is refused with a reason`, async () => {
    const bodies = fc.asyncProperty(validBodies, (body) =>
      assertClean({ ...body, model, models: null, provider: null, stream: false }),
    );
    await fc.assert(bodies, { numRuns: 150 });
  });
}

test('nothing of this was logged as a failure of the gateway, nor a credential at all', () => {
  const log = gateway.log.join('');
  assert.doesNotMatch(log, /"level":(50|60)/);
  assert.doesNotMatch(log, /mcp-secret/);
});
