import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import type { Model } from '../../src/core/catalogue.ts';
import { Secret } from '../../src/util/secret.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

interface Seen {
  readonly path: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of several providers.
  readonly body: any;
}

let upstream: Server;
let gateway: TestGateway;
let seen: Seen[] = [];
/** The tokens that providers count. */
let claimed: unknown = 7;
/** Which call of the provider fails, counted from 1. */
let failing = 0;

/** A vector that tells which text it is of; exact in 32 bits. */
const vectorOf = (text: string) => [text.length, 0.5, -0.25];
const base64 = (numbers: readonly number[]) =>
  Buffer.from(Float32Array.from(numbers).buffer).toString('base64');

function answer({ path, body }: Seen): object {
  if (path.endsWith(':batchEmbedContents')) {
    const texts = body.requests.map(
      (one: { content: { parts: { text: string }[] } }) => one.content.parts[0]?.text,
    );
    return { embeddings: texts.map((text: string) => ({ values: vectorOf(text) })) };
  }
  if (path.includes('titan'))
    return { embedding: vectorOf(body.inputText), inputTextTokenCount: claimed === 7 ? 5 : claimed };
  if (path.includes('cohere')) return { embeddings: body.texts.map(vectorOf) };
  const inputs: (string | number[])[] = Array.isArray(body.input) ? body.input : [body.input];
  const data = inputs.map((input, index) => {
    const vector = vectorOf(String(input));
    return {
      object: 'embedding',
      index,
      embedding: body.encoding_format === 'base64' ? base64(vector) : vector,
    };
  });
  // A provider may send them in any order.
  return {
    object: 'list',
    data: data.toReversed(),
    model: 'up',
    usage: { prompt_tokens: claimed, total_tokens: claimed },
  };
}

before(async () => {
  upstream = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const call = { path: request.url ?? '', body: JSON.parse(Buffer.concat(chunks).toString()) };
    seen.push(call);
    const fails = seen.length === failing;
    response.writeHead(fails ? 500 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(fails ? { error: { message: 'broken' } } : answer(call)));
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const provider = (slug: string, adapter: string, key = 'upstream-key') =>
    providerOf({ slug, adapter, baseUrl, apiKey: new Secret(key) });
  const openai = provider('north', 'openai-chat');
  const gemini = provider('gem', 'google-gemini');
  const bedrock = provider('rock', 'amazon-bedrock', 'bedrock-api-key-0123456789');
  const vectors = (model: Model): Model => ({
    ...model,
    inputModalities: ['text'],
    outputModalities: ['embeddings'],
  });
  gateway = await startGateway({
    models: [
      vectors(modelOf('acme/embed', [openai])),
      vectors(modelOf('acme/both', [gemini, openai])),
      vectors(modelOf('acme/gem', [gemini])),
      vectors(modelOf('acme/titan', [bedrock], { upstreamModel: 'amazon.titan-embed-text-v2:0' })),
      vectors(modelOf('acme/cohere', [bedrock], { upstreamModel: 'cohere.embed-english-v3' })),
      modelOf('acme/chat', [openai]),
    ],
  });
});
after(async () => {
  await gateway.stop();
  upstream.close();
});

async function embed(body: object) {
  seen = [];
  const response = await fetch(`${gateway.url}/api/v1/embeddings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}` },
    body: JSON.stringify(body),
  });
  // biome-ignore lint/suspicious/noExplicitAny: bodies of the wire.
  const answered = (await response.json()) as any;
  return { status: response.status, body: answered, id: response.headers.get('x-generation-id') };
}

test('vectors come in the order of their inputs, whatever the provider did', async () => {
  const { status, body, id } = await embed({ model: 'acme/embed', input: ['a', 'bbb', 'cc'], dimensions: 3 });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(
    body.data.map((one: { index: number; embedding: number[] }) => [one.index, one.embedding[0]]),
    [
      [0, 1],
      [1, 3],
      [2, 2],
    ],
  );
  assert.deepEqual(
    [body.id, body.model, body.usage.prompt_tokens, body.usage.total_tokens],
    [id, 'acme/embed', 7, 7],
  );
  assert.deepEqual([seen[0]?.path, seen[0]?.body.dimensions], ['/embeddings', 3]);
  const generation = await gateway.storage.generations.find(body.id);
  assert.equal(generation?.usage.uncachedInput, 7);
});

test('the official client reads the same numbers in both encodings', async () => {
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
  const input = ['x', 'yy'];
  const asked = await client.embeddings.create({ model: 'acme/embed', input });
  const floats = await client.embeddings.create({ model: 'acme/embed', input, encoding_format: 'float' });
  assert.deepEqual(asked.data, floats.data);
  assert.deepEqual(floats.data[1]?.embedding, [2, 0.5, -0.25]);
});

test('Gemini, Titan and Cohere are asked in their own form', async () => {
  const gemini = await embed({ model: 'acme/gem', input: ['aa'], input_type: 'RETRIEVAL_QUERY' });
  assert.deepEqual(gemini.body.data[0].embedding, [2, 0.5, -0.25]);
  assert.equal(seen[0]?.body.requests[0].taskType, 'RETRIEVAL_QUERY');
  // It reports no tokens, so they are estimated.
  assert.ok(gemini.body.usage.prompt_tokens > 0);
  const cohere = await embed({ model: 'acme/cohere', input: ['aa', 'b'] });
  assert.equal(seen.length, 1);
  assert.deepEqual(cohere.body.data[1].embedding, [1, 0.5, -0.25]);
  const titan = await embed({ model: 'acme/titan', input: ['a', 'bb', 'ccc'] });
  assert.equal(seen.length, 3, 'one call for each text');
  assert.deepEqual(
    titan.body.data.map((one: { embedding: number[] }) => one.embedding[0]),
    [1, 2, 3],
  );
  assert.equal(titan.body.usage.prompt_tokens, 15);
});

test('of several calls one failure fails all', async () => {
  failing = 2;
  const { status, body } = await embed({ model: 'acme/titan', input: ['a', 'bb', 'ccc'] });
  failing = 0;
  assert.ok(status >= 500, JSON.stringify(body));
  assert.equal(seen.length, 2);
});

test('tokens go to endpoints that take them, and to no other', async () => {
  const { status, body } = await embed({ model: 'acme/both', input: [[1, 2, 3], [4]] });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(
    seen.map(({ path }) => path),
    ['/embeddings'],
  );
  assert.deepEqual(seen[0]?.body.input, [[1, 2, 3], [4]]);
  const refused = await embed({ model: 'acme/gem', input: [1, 2] });
  assert.ok(refused.status >= 400);
  assert.equal(seen.length, 0);
});

test('refusals name the place and what to do', async () => {
  const refusal = async (members: object) => {
    const { status, body } = await embed({ model: 'acme/embed', input: 'x', ...members });
    assert.equal(status, 400, JSON.stringify(body));
    return body.error.message as string;
  };
  assert.match(await refusal({ input: [] }), /^input: must not be empty/);
  assert.match(await refusal({ input: ['a', ''] }), /^input\[1\]: must not be empty/);
  assert.match(await refusal({ input: Array(2049).fill('a') }), /^input: must hold at most 2048/);
  assert.match(await refusal({ input: [[1, 'a']] }), /^input\[0\]\[1\]: expected a token/);
  assert.match(await refusal({ input: [{ content: [{ type: 'image_url' }] }] }), /^input\[0\].content\[0\]/);
  assert.match(await refusal({ models: ['acme/gem'] }), /^models: has no meaning/);
  assert.match(await refusal({ stream: true }), /^stream: must be false/);
  assert.match(await refusal({ dimensions: 0 }), /^dimensions/);
  assert.match(await refusal({ model: 'acme/chat' }), /use POST \/responses/);
  assert.match(await refusal({ provider: { oder: [] } }), /^provider.oder/);
  const other = await gateway.post({ model: 'acme/embed', input: 'x' });
  const { error } = (await other.json()) as { error: { message: string } };
  assert.match(error.message, /use POST \/embeddings/);
});

test('models that make vectors have a list of their own', async () => {
  const response = await fetch(`${gateway.url}/api/v1/embeddings/models?limit=2`);
  const { data } = (await response.json()) as { data: { id: string }[] };
  assert.deepEqual(data.map(({ id }) => id).length, 2);
  const all = (await (await fetch(`${gateway.url}/api/v1/models`)).json()) as { data: { id: string }[] };
  assert.deepEqual(
    all.data.map(({ id }) => id),
    ['acme/chat', 'service/auto', 'service/auto-beta'],
  );
});

test('tokens that cannot be true are estimated, and what is no count is no money', async (t) => {
  t.after(() => {
    claimed = 7;
  });
  for (const model of ['acme/embed', 'acme/titan']) {
    for (const count of [-1_000_000, 1.5, 1e308, 2 ** 53 + 2, 1_000_000, '7', true]) {
      claimed = count;
      const { status, id } = await embed({ model, input: ['Hello'] });
      assert.equal(status, 200);
      const record = await gateway.storage.generations.find(id ?? '');
      assert.ok(record);
      assert.equal(record.usageEstimated, true, String(count));
      assert.deepEqual(
        record.implausibleUsage,
        count === 1e308 || count === 1_000_000 ? ['input'] : undefined,
        `${model} ${count}`,
      );
      assert.ok(record.cost > 0n && record.cost < 60_000n, `${count}: ${record.cost}`);
    }
  }
});

test('inputs that are tokens explain as many, and each input may fill the context', async (t) => {
  t.after(() => {
    claimed = 7;
  });
  claimed = 9_000;
  const given = await embed({ model: 'acme/embed', input: Array.from({ length: 9_000 }, (_, at) => at) });
  const record = await gateway.storage.generations.find(given.id ?? '');
  assert.deepEqual([record?.usage.uncachedInput, record?.implausibleUsage], [9_000, undefined]);
});
