import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePricePerMillion } from '../../src/core/money.ts';
import type { Usage } from '../../src/core/usage.ts';
import type { Generation } from '../../src/ports/generations.ts';
import { chatChunk, dataEvent } from '../fake-upstream/chat-stream.ts';
import { startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const price = {
  prompt: parsePricePerMillion(3),
  completion: parsePricePerMillion(15),
  cacheRead: parsePricePerMillion('0.3'),
};
const doubled = { prompt: parsePricePerMillion(6), completion: parsePricePerMillion(30) };
/** 1,000 tokens read at the full price and 100,000 from a cache. */
const inputCost = 33_000_000n;

/** The beginning of a stream that tells its input before its end, and a word of the answer. */
const beginnings: Readonly<Record<string, readonly string[]>> = {
  'anthropic-messages': [
    {
      type: 'message_start',
      message: {
        id: 'msg_1',
        usage: { input_tokens: 1_000, cache_read_input_tokens: 100_000, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Good morning to you.' } },
  ].map((event) => `event: ${event.type}\n${dataEvent(event)}`),
  'google-gemini': [
    dataEvent({
      candidates: [{ content: { parts: [{ text: 'Good morning to you.' }], role: 'model' } }],
      usageMetadata: {
        promptTokenCount: 101_000,
        cachedContentTokenCount: 100_000,
        totalTokenCount: 101_000,
      },
    }),
  ],
  'openai-chat': [
    chatChunk({ content: 'Good morning to you.' }, null, {
      usage: {
        prompt_tokens: 101_000,
        completion_tokens: 1,
        prompt_tokens_details: { cached_tokens: 100_000 },
      },
    }),
  ],
};

/** Asks for a stream and goes away in the middle of it; the record of that. */
async function leaveAfterFirstWords(gateway: TestGateway): Promise<Generation> {
  const response = await gateway.post({
    model: 'acme/atlas-4',
    input: 'Hello'.padEnd(101_000),
    stream: true,
  });
  const reader = response.body?.getReader();
  for (let text = ''; !text.includes('morning'); )
    text += new TextDecoder().decode((await reader?.read())?.value);
  await reader?.cancel();
  const id = response.headers.get('x-generation-id') ?? '';
  return eventually('the record', () => gateway.storage.generations.find(id));
}

for (const [adapter, steps] of Object.entries(beginnings)) {
  test(`${adapter}: who leaves a stream pays the input its provider told of, and what was written`, async (t) => {
    const upstream = await startFakeUpstream({ steps: [...steps], ending: 'hang' });
    t.after(() => upstream.close());
    const north = providerOf({ slug: 'north', adapter, baseUrl: `${upstream.url}/v1` });
    const gateway = await startGateway({ models: [modelOf('acme/atlas-4', [north], { price })] });
    t.after(() => gateway.stop());
    const booked = await leaveAfterFirstWords(gateway);
    const { uncachedInput, cacheRead, output = 0 }: Usage = booked.usage;
    assert.deepEqual([uncachedInput, cacheRead], [1_000, 100_000]);
    assert.ok(output >= 4 && output <= 8, String(output));
    assert.deepEqual([booked.cancelled, booked.usageEstimated], [true, true]);
    assert.equal(booked.cost, inputCost + BigInt(output) * 15_000n);
  });
}

/** The same beginnings where the provider says at once that it serves the dearer tier. */
const dearer: Readonly<Record<string, readonly string[]>> = {
  'anthropic-messages': [
    {
      type: 'message_start',
      message: { id: 'msg_1', usage: { input_tokens: 1_000, output_tokens: 1, service_tier: 'priority' } },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Good morning to you.' } },
  ].map((event) => `event: ${event.type}\n${dataEvent(event)}`),
  'google-gemini': [
    dataEvent({
      candidates: [{ content: { parts: [{ text: 'Good morning to you.' }], role: 'model' } }],
      usageMetadata: { promptTokenCount: 1_000, totalTokenCount: 1_000, serviceTier: 'priority' },
    }),
  ],
  'openai-chat': [
    chatChunk({ content: 'Good morning to you.' }, null, {
      service_tier: 'priority',
      usage: { prompt_tokens: 1_000, completion_tokens: 1 },
    }),
  ],
};

for (const [adapter, steps] of Object.entries(dearer)) {
  test(`${adapter}: who leaves a stream pays the price of the tier its provider told of`, async (t) => {
    const upstream = await startFakeUpstream({ steps: [...steps], ending: 'hang' });
    t.after(() => upstream.close());
    const north = providerOf({ slug: 'north', adapter, baseUrl: `${upstream.url}/v1` });
    const model = modelOf('acme/atlas-4', [north], { price });
    const [usual] = model.endpoints;
    assert.ok(usual);
    const twice = { ...usual, tag: 'north/priority', tier: 'priority', price: doubled } as const;
    const gateway = await startGateway({ models: [{ ...model, endpoints: [usual, twice] }] });
    t.after(() => gateway.stop());
    const booked = await leaveAfterFirstWords(gateway);
    assert.equal(booked.serviceTier, 'priority');
    assert.equal(booked.cost, 6_000_000n + BigInt(booked.usage.output ?? 0) * 30_000n);
  });
}

/** The rest of each stream, whose usage is not told again. */
const endings: Readonly<Record<string, readonly string[]>> = {
  'anthropic-messages': [
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    { type: 'message_stop' },
  ].map((event) => `event: ${event.type}\n${dataEvent(event)}`),
  'google-gemini': [
    dataEvent({ candidates: [{ content: { parts: [{ text: ' Sleep well.' }], role: 'model' } }] }),
    dataEvent({ candidates: [{ finishReason: 'STOP' }] }),
  ],
  // The second equals the first but for its text.
  'openai-chat': [chatChunk({ content: ' Sleep' }), chatChunk({ content: ' well.' }), chatChunk({}, 'stop')],
};

for (const [adapter, steps] of Object.entries(beginnings)) {
  test(`${adapter}: output counted before more was written is not the output of the answer`, async (t) => {
    const upstream = await startFakeUpstream({ steps: [...steps, ...(endings[adapter] ?? [])] });
    t.after(() => upstream.close());
    const north = providerOf({ slug: 'north', adapter, baseUrl: `${upstream.url}/v1` });
    const gateway = await startGateway({ models: [modelOf('acme/atlas-4', [north], { price })] });
    t.after(() => gateway.stop());
    const response = await gateway.post({
      model: 'acme/atlas-4',
      input: 'Hello'.padEnd(101_000),
      stream: true,
    });
    await response.text();
    const booked = await gateway.storage.generations.find(response.headers.get('x-generation-id') ?? '');
    const { uncachedInput, cacheRead, output = 0 }: Usage = booked?.usage ?? {};
    assert.deepEqual([uncachedInput, cacheRead, booked?.usageEstimated], [1_000, 100_000, true]);
    assert.ok(output >= 4 && output <= 12, String(output));
    assert.equal(booked?.cost, inputCost + BigInt(output) * 15_000n);
  });
}
