import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseUsd } from '../../src/core/money.ts';
import { chatBody, dataEvent } from '../fake-upstream/chat-stream.ts';
import { startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { callApi } from '../support/call-api.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { startGateway } from '../support/gateway.ts';
import { readStream } from '../support/read-stream.ts';

const text = { content: { parts: [{ text: 'Sunny.' }] }, finishReason: 'STOP' };

/** The usage of an answer of Gemini's, streamed, with that of its record. */
async function usageOf(candidate: object, usageMetadata: object, asked: object = {}) {
  await using upstream = await startFakeUpstream({
    steps: [dataEvent({ candidates: [candidate], usageMetadata })],
  });
  const provider = providerOf({ slug: 'north', adapter: 'google-gemini', baseUrl: upstream.url });
  const gateway = await startGateway({ models: [modelOf('acme/three', [provider])] });
  try {
    const response = await gateway.post({ model: 'acme/three', input: 'Hello', stream: true, ...asked });
    const { terminal } = await readStream(response);
    checkContract('Usage', terminal.usage);
    const management = await gateway.createKey({ kind: 'management' });
    const record = await gateway.get(`/api/v1/generation?id=${response.headers.get('x-generation-id')}`, {
      authorization: `Bearer ${management}`,
    });
    const { data } = (await record.json()) as {
      data: { native_tokens_cached: number; num_search_results: number | null };
    };
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
  assert.equal(usage.input_tokens, 100);
  // Libraries read both: a count that nobody told is 0, not absent.
  assert.deepEqual(usage.input_tokens_details, { cached_tokens: 40, cache_write_tokens: 0 });
  assert.equal(data.native_tokens_cached, 40);
  assert.ok(!('server_tool_use_details' in usage), 'nothing was searched');
});

test('searches the provider ran are told with the usage, for they may be billed', async () => {
  const searching = { tools: [{ type: 'web_search' }] };
  const searched = { ...text, groundingMetadata: { webSearchQueries: ['weather', 'weather Brest'] } };
  const { usage, data } = await usageOf(
    searched,
    { promptTokenCount: 9, candidatesTokenCount: 2 },
    searching,
  );
  assert.deepEqual(usage.server_tool_use_details, {
    tool_calls_requested: 0,
    tool_calls_executed: 0,
    web_search_requests: 2,
  });
  assert.equal(data.num_search_results, 2);
});

test('without a stated price the cost is unknown, not zero, and limited money is not spent', async () => {
  await using upstream = await startFakeUpstream({ whole: chatBody('Good ', 'day.') });
  const north = providerOf({ slug: 'north', name: 'DeepInfra', baseUrl: `${upstream.url}/v1` });
  const gateway = await startGateway({ models: [modelOf('acme/atlas-4', [north], { price: undefined })] });
  try {
    const ask = { model: 'acme/atlas-4', input: 'Hello' };
    const limited = await gateway.createKey({ limit: parseUsd(1) });
    const refused = await callApi(gateway, limited, 'POST', '/responses', ask);
    const { excluded_by, constraint } = refused.body.error.metadata.availability;
    assert.deepEqual([refused.status, excluded_by, constraint.field], [503, ['max_price'], 'model']);
    assert.match(constraint.detail, /stated price/);
    assert.equal(upstream.requests.length, 0);

    const { status, body } = await callApi(gateway, gateway.key, 'POST', '/responses', ask);
    assert.deepEqual([status, body.usage.cost, body.usage.total_tokens > 0], [200, null, true]);
    checkContract('Usage', body.usage);
    const line = gateway.log.map((text) => JSON.parse(text)).find(({ msg }) => msg === 'served');
    assert.equal(line.cost, null);
    const record = (await callApi(gateway, gateway.key, 'GET', `/generation?id=${line.id}`)).body;
    assert.deepEqual([record.data.unpriced, record.data.total_cost], [true, 0]);
    checkContract('GenerationResponse', record);
  } finally {
    await gateway.stop();
  }
});
