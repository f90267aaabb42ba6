import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataEvent } from '../fake-upstream/chat-stream.ts';
import { startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { startGateway } from '../support/gateway.ts';
import { readStream } from '../support/read-stream.ts';

const text = { content: { parts: [{ text: 'Sunny.' }] }, finishReason: 'STOP' };

/** The usage of an answer of Gemini's, streamed, with that of its record. */
async function usageOf(candidate: object, usageMetadata: object) {
  await using upstream = await startFakeUpstream({
    steps: [dataEvent({ candidates: [candidate], usageMetadata })],
  });
  const provider = providerOf({ slug: 'north', adapter: 'google-gemini', baseUrl: upstream.url });
  const gateway = await startGateway({ models: [modelOf('acme/three', [provider])] });
  try {
    const response = await gateway.post({ model: 'acme/three', input: 'Hello', stream: true });
    const { terminal } = await readStream(response);
    checkContract('Usage', terminal.usage);
    const management = await gateway.createKey({ kind: 'management' });
    const record = await gateway.get(`/api/v1/generation?id=${response.headers.get('x-generation-id')}`, {
      authorization: `Bearer ${management}`,
    });
    const { data } = (await record.json()) as { data: { native_tokens_cached: number } };
    return { usage: terminal.usage as Readonly<Record<string, unknown>>, data };
  } finally {
    await gateway.stop();
  }
}

test('what was read from a cache is told whole, sound included', async () => {
  const { usage, data } = await usageOf(text, {
    promptTokenCount: 100,
    cachedContentTokenCount: 40,
    cacheTokensDetails: [
      { modality: 'TEXT', tokenCount: 30 },
      { modality: 'AUDIO', tokenCount: 10 },
    ],
    candidatesTokenCount: 2,
  });
  assert.deepEqual([usage.input_tokens, usage.input_tokens_details], [100, { cached_tokens: 40 }]);
  assert.equal(data.native_tokens_cached, 40);
  assert.ok(!('server_tool_use_details' in usage), 'nothing was searched');
});

test('searches the provider ran are told with the usage, for they may be billed', async () => {
  const searched = { ...text, groundingMetadata: { webSearchQueries: ['weather', 'weather Brest'] } };
  const { usage } = await usageOf(searched, { promptTokenCount: 9, candidatesTokenCount: 2 });
  assert.deepEqual(usage.server_tool_use_details, {
    tool_calls_requested: 0,
    tool_calls_executed: 0,
    web_search_requests: 2,
  });
});
