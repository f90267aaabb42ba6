import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Price } from '../../src/core/catalogue.ts';
import { parsePricePerMillion } from '../../src/core/money.ts';
import { randomNumbers } from '../routing/random-numbers.ts';
import { type CachingProvider, startCachingProvider } from '../support/caching-provider.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const conversations = 20;
const turns = 8;
const usd = parsePricePerMillion;
const plain: Price = { prompt: usd(1), completion: usd(1) };
const cached: Price = { ...plain, cacheRead: usd(0.1) };

let providers: readonly CachingProvider[];
let gateway: TestGateway;

before(async () => {
  providers = await Promise.all([startCachingProvider(), startCachingProvider(), startCachingProvider()]);
  const rows = providers.map(({ url }, index) => providerOf({ slug: `host-${index}`, baseUrl: `${url}/v1` }));
  const tiered = modelOf('acme/tiered', rows, { price: cached });
  const quick = modelOf('acme/tiered', rows.slice(1, 2), { price: cached, tier: 'priority' });
  gateway = await startGateway({
    models: [
      modelOf('acme/named', rows, { price: cached }),
      modelOf('acme/begun', rows, { price: cached }),
      modelOf('acme/loose', rows, { price: plain }),
      { ...tiered, endpoints: [...tiered.endpoints.slice(0, 1), ...quick.endpoints] },
    ],
    random: randomNumbers(7),
  });
});

after(async () => {
  await gateway.stop();
  await Promise.all(providers.map((provider) => provider.close()));
});

/** Lets many conversations with a model run side by side, turn by turn, each with all that was said before. */
async function converse(model: string, settings: (conversation: number) => object): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    for (let conversation = 0; conversation < conversations; conversation += 1) {
      const said = Array.from({ length: turn }, (_, index) => [
        { role: 'user', content: `${model} ${conversation}, question ${index}` },
        { role: 'assistant', content: 'Good day.' },
      ]).flat();
      const input = [...said, { role: 'user', content: `${model} ${conversation}, question ${turn}` }];
      const response = await gateway.post({ model, input, ...settings(conversation) });
      assert.equal(response.status, 200, await response.text());
    }
  }
}

test('conversations that stay where they were read most of their input from caches, and reports show it', async () => {
  await converse('acme/named', (conversation) => ({ prompt_cache_key: `talk ${conversation}` }));
  await converse('acme/begun', () => ({}));
  await converse('acme/loose', () => ({}));
  const rows = await gateway.storage.generations.usage(0, 'model');
  const shareOf = (model: string) => {
    const row = rows.find(({ group }) => group === model);
    assert.ok(row);
    assert.equal(
      row.inputTokens,
      conversations * turns ** 2 * 10,
      'ten tokens a message, 1 + 3 + 5 … messages',
    );
    return row.cachedTokens / row.inputTokens;
  };
  // A turn finds all that was said before but the last answer and the new question.
  assert.equal(shareOf('acme/named'), (turns - 1) ** 2 / turns ** 2);
  const [begun, loose] = [shareOf('acme/begun'), shareOf('acme/loose')];
  assert.ok(loose < 0.6, `where nothing is gained by staying, draws decide: ${loose}`);
  assert.ok(begun > loose + 0.1, `known by its beginning once a cache was used: ${begun}, not ${loose}`);
});

test('a conversation that asks for another tier gets it', async () => {
  const providerOfTurn = async (service_tier?: string) => {
    const body = { model: 'acme/tiered', input: 'Hi', session_id: 'tiers', service_tier };
    const response = await gateway.post(body, { 'x-service-metadata': 'enabled' });
    const { service_metadata: metadata } = (await response.json()) as {
      service_metadata: { attempts: readonly { provider: string }[] };
    };
    return metadata.attempts.map(({ provider }) => provider);
  };
  assert.deepEqual(await providerOfTurn(), ['host-0']);
  assert.deepEqual(await providerOfTurn('priority'), ['host-1']);
  assert.deepEqual(await providerOfTurn(), ['host-0']);
});
