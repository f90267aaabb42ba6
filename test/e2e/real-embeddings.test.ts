import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { type GatewayProcess, startGateway } from './support/gateway-process.ts';
import { type RealModel, startRealModel } from './support/real-model.ts';

let model: RealModel;
let gateway: GatewayProcess;
let client: OpenAI;

before(async () => {
  model = await startRealModel('--embeddings');
  gateway = await startGateway({
    config: `providers:
  local: { adapter: openai-chat, base_url: ${model.url}/v1 }
models:
  - id: real/vectors
    output_modalities: [embeddings]
    endpoints: [{ provider: local, model: gemma-3-270m, price: { input: 1, output: 0 } }]
`,
  });
  client = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 0 });
});
after(async () => {
  await model[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
});

const texts = [
  'The cat sleeps on the sofa.',
  'A kitten naps on the couch.',
  'Interest rates rose by two percent.',
];

async function vectorsOf(input: string | string[], encoding_format?: 'float' | 'base64') {
  const { data, usage } = await client.embeddings.create({
    model: 'real/vectors',
    input,
    ...(encoding_format && { encoding_format }),
  });
  return { vectors: data.map(({ embedding }) => embedding), usage };
}

function similarity(one: readonly number[], other: readonly number[]): number {
  const product = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, value, at) => sum + value * (b[at] ?? Number.NaN), 0);
  return product(one, other) / Math.sqrt(product(one, one) * product(other, other));
}

test('real vectors: one for each text, in order, and those of like texts are alike', async () => {
  const { vectors, usage } = await vectorsOf(texts);
  assert.equal(vectors.length, texts.length);
  const [cat = [], kitten = [], rates = []] = vectors;
  assert.ok(cat.length > 100 && cat.every(Number.isFinite));
  assert.ok(similarity(cat, kitten) > similarity(cat, rates));
  for (const [at, text] of texts.entries()) {
    const alone = (await vectorsOf(text)).vectors[0] ?? [];
    assert.ok(similarity(alone, vectors[at] ?? []) > 0.999, text);
  }
  assert.ok(usage.prompt_tokens > 10);
  assert.equal(usage.total_tokens, usage.prompt_tokens);
});

test('both encodings have the same numbers, which are those of the server', async () => {
  const [packed = []] = (await vectorsOf('Fair wind.')).vectors;
  const [plain = []] = (await vectorsOf('Fair wind.', 'float')).vectors;
  assert.deepEqual(Array.from(packed), plain.map(Math.fround));
  const direct = await fetch(`${model.url}/v1/embeddings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input: 'Fair wind.', model: 'gemma-3-270m' }),
  });
  const { data } = (await direct.json()) as { data: { embedding: number[] }[] };
  assert.ok(similarity(plain, data[0]?.embedding ?? []) > 0.999);
});

test('the charge is the tokens of the input', async () => {
  const answer = await client.embeddings.create({ model: 'real/vectors', input: texts });
  const { prompt_tokens, cost } = answer.usage as typeof answer.usage & { cost: number };
  assert.equal(cost, prompt_tokens / 1_000_000);
});

test('the model writes no text here, and the refusal names the path that takes it', async () => {
  const asking = client.chat.completions.create({
    model: 'real/vectors',
    messages: [{ role: 'user', content: 'Hi' }],
  });
  await assert.rejects(asking, (error: Error) => /\/embeddings/.test(error.message));
});
