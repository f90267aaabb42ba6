import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { failureOf, listen, textOf } from '../../../test/fake-upstream/collect.ts';
import { type Script, startFakeUpstream } from '../../../test/fake-upstream/fake-upstream.ts';
import { type CallChanges, createCall } from '../../../test/fake-upstream/upstream-call.ts';
import { eventStream } from '../../../test/support/adapter-harness.ts';
import { geminiAnswer, geminiStream } from '../../../test/support/gemini-answers.ts';
import { createServiceAccountKey } from '../../../test/support/service-account-key.ts';
import type { Delta } from '../../core/delta.ts';
import { Secret } from '../../util/secret.ts';
import { vertexMessagesAdapter } from '../anthropic-messages/anthropic-messages-adapter.ts';
import { vertexGeminiAdapter } from '../google-gemini/google-gemini-adapter.ts';
import { createHttpUpstream } from '../wire/http-upstream.ts';
import { createTransport } from '../wire/transport.ts';
import { createGoogleVertexAdapter } from './google-vertex-adapter.ts';
import { createTokenSource } from './token-source.ts';

const transport = createTransport();
after(() => transport.destroy());

const json = { 'content-type': 'application/json' };
const dialects = { gemini: vertexGeminiAdapter, claude: vertexMessagesAdapter };
const token = { headers: json, steps: ['{"access_token":"ya29.token","expires_in":3599}'] };
const gemini = { upstreamModel: 'gemini-3-flash-preview' };
const claude = { upstreamModel: 'claude-opus-4-1@20250805' };
const messages = eventStream([
  { type: 'message_start', message: { id: 'msg_1', content: [], usage: { input_tokens: 3 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Good day.' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
]);

/** A Vertex with a token service, each playing its scripts. */
async function startVertex(models: readonly Script[], tokens: readonly Script[] = [token]) {
  const service = await startFakeUpstream(...tokens);
  const fake = await startFakeUpstream(...models);
  const upstream = createHttpUpstream(createGoogleVertexAdapter(dialects, createTokenSource()), transport);
  const key = createServiceAccountKey({ token_uri: `${service.url}/token`, region: 'europe-west4' });
  const provider = {
    baseUrl: `${fake.url}/v1`,
    apiKey: new Secret(key),
    quirks: { tokenOrigins: [service.url] },
  };
  return {
    fake,
    service,
    upstream,
    call: (changes: CallChanges) =>
      createCall({ ...changes, provider: { ...provider, ...changes.provider } }),
    async [Symbol.asyncDispose]() {
      await Promise.all([fake.close(), service.close()]);
    },
  };
}

test('vectors of more inputs than a call takes come in several calls, each under the project with the token', async () => {
  const predictions = (count: number) => ({
    headers: json,
    steps: [
      JSON.stringify({
        predictions: Array.from({ length: count }, (_, at) => ({
          embeddings: { values: [at, 1], statistics: { token_count: 2 } },
        })),
      }),
    ],
  });
  await using vertex = await startVertex([predictions(100), predictions(1)]);
  const { fake, upstream, call } = vertex;
  const inputs = Array.from({ length: 101 }, (_, at) => `text ${at}`);
  const request = { kind: 'embedding', inputs, outputModalities: ['embeddings'] } as const;
  const made: Delta[] = [];
  const asked = { ...call({ endpoint: { upstreamModel: 'text-embedding-005' }, streamed: false }), request };
  for await (const batch of upstream.stream(asked)) made.push(...batch);
  const indexes = made.flatMap((delta) => (delta.kind === 'embedding' ? [delta.index] : []));
  assert.deepEqual(indexes, [...inputs.keys()]);
  assert.deepEqual(made.at(-2), { kind: 'usage', usage: { uncachedInput: 202, output: 0 } });
  for (const { path, headers } of fake.requests) {
    assert.match(path, /\/projects\/[^/]+\/locations\/europe-west4\/.*text-embedding-005:predict$/);
    assert.equal(headers.authorization, 'Bearer ya29.token');
  }
  assert.equal(fake.requests.length, 2);
});

test('Gemini: project and region stand in the path, the token in the header, the key nowhere', async () => {
  const answer = geminiAnswer([{ text: 'Good day.' }], { finishReason: 'STOP' });
  await using vertex = await startVertex([{ steps: [geminiStream([answer])] }]);
  const { fake, service, upstream, call } = vertex;
  const bodies: unknown[] = [];
  for (const _ of [1, 2]) {
    const { deltas, thrown } = await listen(
      upstream,
      call({ endpoint: gemini, onBody: (body) => bodies.push(body) }),
    );
    assert.equal(thrown, undefined);
    assert.equal(textOf(deltas), 'Good day.');
  }
  const [request] = fake.requests;
  const place = '/v1/projects/tides-123/locations/europe-west4';
  assert.equal(
    request?.path,
    `${place}/publishers/google/models/gemini-3-flash-preview:streamGenerateContent?alt=sse`,
  );
  assert.equal(request?.headers.authorization, 'Bearer ya29.token');
  assert.equal(service.requests.length, 1);
  assert.ok(!JSON.stringify([fake.requests, bodies]).includes('PRIVATE KEY'));
});

test("Claude: its maker's dialect with the version in the body and the model in the path", async () => {
  await using vertex = await startVertex([{ steps: [messages] }]);
  const { deltas, thrown } = await listen(vertex.upstream, vertex.call({ endpoint: claude }));
  assert.equal(thrown, undefined);
  assert.equal(textOf(deltas), 'Good day.');
  const [request] = vertex.fake.requests;
  assert.equal(
    decodeURIComponent(request?.path ?? ''),
    '/v1/projects/tides-123/locations/europe-west4/publishers/anthropic/models/claude-opus-4-1@20250805:streamRawPredict',
  );
  const body = request?.body;
  assert.ok(typeof body === 'object' && body !== null);
  assert.equal(Reflect.get(body, 'anthropic_version'), 'vertex-2023-10-16');
  assert.equal('model' in body, false);
  assert.equal(request?.headers['anthropic-version'], undefined);
  assert.equal(request?.headers['x-api-key'], undefined);
});

test('without a base address the region decides the host', () => {
  const adapter = createGoogleVertexAdapter(dialects, createTokenSource());
  const baseUrl = (changes: Record<string, unknown>) => {
    const apiKey = new Secret(createServiceAccountKey(changes));
    return adapter.encode(createCall({ endpoint: gemini, provider: { apiKey, baseUrl: undefined } })).baseUrl;
  };
  assert.equal(baseUrl({}), 'https://aiplatform.googleapis.com/v1/projects/tides-123/locations/global');
  assert.equal(
    baseUrl({ region: 'us-central1' }),
    'https://us-central1-aiplatform.googleapis.com/v1/projects/tides-123/locations/us-central1',
  );
  for (const region of ['us', 'eu']) {
    const host = `aiplatform.${region}.rep.googleapis.com`;
    assert.equal(baseUrl({ region }), `https://${host}/v1/projects/tides-123/locations/${region}`);
  }
});

test('failures of token service, platform and dialect are distinguished', async () => {
  const platform = { error: { code: 429, message: 'Quota.', status: 'RESOURCE_EXHAUSTED' } };
  const own = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded.' } };
  const refused = { status: 401, headers: json, steps: ['{"error":"invalid_client"}'] };
  const cases = [
    [{ status: 429, headers: json, steps: [JSON.stringify(platform)] }, token, gemini, 'upstream_rate_limit'],
    [
      { status: 429, headers: json, steps: [JSON.stringify([platform])] },
      token,
      claude,
      'upstream_rate_limit',
    ],
    [{ status: 529, headers: json, steps: [JSON.stringify(own)] }, token, claude, 'provider_overloaded'],
    [{ status: 500, headers: json, steps: [] }, refused, gemini, 'upstream_credential'],
  ] as const;
  for (const [script, tokens, endpoint, code] of cases) {
    await using vertex = await startVertex([script], [tokens]);
    const failure = await failureOf(vertex.upstream, vertex.call({ endpoint }));
    assert.equal(failure.code, code);
    assert.equal(failure.metadata.provider_name, 'NorthGPU');
    assert.equal(vertex.fake.requests.length, tokens === refused ? 0 : 1);
  }
});

test('a token the provider no longer accepts is not used again', async () => {
  const answer = geminiAnswer([{ text: 'Good day.' }], { finishReason: 'STOP' });
  const revoked: Script = {
    status: 401,
    headers: json,
    steps: ['{"error":{"code":401,"status":"UNAUTHENTICATED"}}'],
  };
  const models: Script[] = [revoked, { steps: [geminiStream([answer])] }];
  const second = { headers: json, steps: ['{"access_token":"ya29.second","expires_in":3599}'] };
  await using vertex = await startVertex(models, [token, second]);
  const { fake, service, upstream, call } = vertex;
  assert.equal((await failureOf(upstream, call({ endpoint: gemini }))).code, 'upstream_credential');
  assert.equal(textOf((await listen(upstream, call({ endpoint: gemini }))).deltas), 'Good day.');
  assert.deepEqual(
    fake.requests.map(({ headers }) => headers.authorization),
    ['Bearer ya29.token', 'Bearer ya29.second'],
  );
  assert.equal(service.requests.length, 2);
});

test('what a call can say depends on the model', () => {
  const adapter = createGoogleVertexAdapter(dialects, createTokenSource());
  const { provider } = createCall().endpoint;
  assert.deepEqual(
    adapter.support(provider, gemini.upstreamModel),
    vertexGeminiAdapter.support(provider, gemini.upstreamModel),
  );
  assert.deepEqual(
    adapter.support(provider, claude.upstreamModel),
    vertexMessagesAdapter.support(provider, claude.upstreamModel),
  );
});
