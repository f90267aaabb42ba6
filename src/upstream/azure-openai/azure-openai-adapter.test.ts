import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { chatStream } from '../../../test/fake-upstream/chat-stream.ts';
import { failureOf, listen, textOf } from '../../../test/fake-upstream/collect.ts';
import { startFakeUpstream } from '../../../test/fake-upstream/fake-upstream.ts';
import { textItems } from '../../../test/fake-upstream/responses-items.ts';
import { responsesEvents, toStream, type WireEvent } from '../../../test/fake-upstream/responses-stream.ts';
import { type CallChanges, createCall } from '../../../test/fake-upstream/upstream-call.ts';
import { Secret } from '../../util/secret.ts';
import { openaiChatAdapter } from '../openai-chat/openai-chat-adapter.ts';
import { openaiResponsesAdapter } from '../openai-responses/openai-responses-adapter.ts';
import { createHttpUpstream } from '../wire/http-upstream.ts';
import { createTransport } from '../wire/transport.ts';
import { createAzureOpenaiAdapter } from './azure-openai-adapter.ts';

const adapter = createAzureOpenaiAdapter({ responses: openaiResponsesAdapter, chat: openaiChatAdapter });
const transport = createTransport();
const upstream = createHttpUpstream(adapter, transport);
after(() => transport.destroy());

const resource = { api_key: 'resource-key', resource_name: 'harbour' };
const deployment = {
  api_key: 'deployment-key',
  endpoint_url:
    'https://quay.openai.azure.com/openai/deployments/atlas/chat/completions?api-version=2024-10-21',
  model_id: 'atlas',
  model_slug: 'acme/atlas-4',
};

function callWith(credential: unknown, changes: CallChanges = {}) {
  const text = typeof credential === 'string' ? credential : JSON.stringify(credential);
  return createCall({
    ...changes,
    provider: { adapter: 'azure-openai', baseUrl: undefined, apiKey: new Secret(text), ...changes.provider },
  });
}

test('a resource of either kind answers at the v1 interface, under the name of the deployment', () => {
  const hosts = [
    [resource, 'https://harbour.openai.azure.com/openai/v1'],
    [{ ...resource, resource_type: 'openai' }, 'https://harbour.openai.azure.com/openai/v1'],
    [{ ...resource, resource_type: 'ai_foundry' }, 'https://harbour.services.ai.azure.com/openai/v1'],
  ] as const;
  for (const [element, baseUrl] of hosts) {
    for (const credential of [element, [element]]) {
      const wire = adapter.encode(callWith(credential));
      assert.deepEqual([wire.baseUrl, wire.path], [baseUrl, '/responses']);
      assert.deepEqual(wire.headers, { 'api-key': 'resource-key' });
      assert.deepEqual([wire.body.model, wire.body.store], ['atlas-4-instruct', false]);
    }
  }
});

test('a deployment wins for the model it is made for, and its address is whole', () => {
  const credential = [resource, deployment];
  const wire = adapter.encode(callWith(credential));
  assert.equal(wire.baseUrl, 'https://quay.openai.azure.com');
  assert.equal(wire.path, '/openai/deployments/atlas/chat/completions?api-version=2024-10-21');
  assert.deepEqual(wire.headers, { 'api-key': 'deployment-key' });
  assert.equal(wire.body.model, 'atlas');
  assert.ok('messages' in wire.body);
  const other = adapter.encode(
    callWith(credential, { model: { id: 'acme/other', canonicalSlug: 'acme/other' } }),
  );
  assert.equal(other.baseUrl, 'https://harbour.openai.azure.com/openai/v1');
});

test('models of other makers are asked by chat completions where the quirks say so', () => {
  for (const quirks of [{ api: 'chat' }, { chatModels: ['atlas-4-instruct'] }]) {
    const wire = adapter.encode(callWith(resource, { provider: { quirks } }));
    assert.equal(wire.path, '/chat/completions');
    assert.ok('messages' in wire.body);
  }
});

test('a credential of another form is refused without showing anything of it', () => {
  const bad = [
    'bare-secret',
    '[]',
    '[{"api_key":"bare-secret"}]',
    '{"resource_name":"bare-secret"}',
    '{"api_key":"bare-secret","resource_name":"a/../b"}',
    '{"api_key":"bare-secret","resource_name":"a","resource_type":"b"}',
    '{"api_key":"bare-secret"',
    { ...deployment, api_key: 'bare-secret', model_slug: undefined },
    { ...deployment, api_key: 'bare-secret', endpoint_url: 'https://evil.test/openai' },
    { ...deployment, api_key: 'bare-secret', endpoint_url: 'http://quay.openai.azure.com/openai' },
    { ...deployment, api_key: 'bare-secret', endpoint_url: 'https://openai.azure.com.evil.test/' },
  ];
  for (const credential of bad) {
    const call = callWith(credential);
    assert.throws(
      () => adapter.encode(call),
      (thrown: Error & { code?: string }) =>
        thrown.code === 'upstream_credential' && !thrown.message.includes('bare-secret'),
    );
    assert.ok(adapter.support(call.endpoint.provider));
  }
});

test('over a socket: a bare key at the configured address, in responses', async () => {
  await using fake = await startFakeUpstream({
    steps: toStream(responsesEvents({ output: textItems })),
  });
  for (const baseUrl of [fake.url, `${fake.url}/openai/v1`]) {
    const { deltas, thrown } = await listen(upstream, callWith('plain-key', { provider: { baseUrl } }));
    assert.equal(thrown, undefined);
    const seal = deltas.find((delta) => delta.kind === 'seal');
    assert.ok(seal?.kind === 'seal' && seal.format === 'azure-openai-responses-v1');
  }
  for (const request of fake.requests) {
    assert.equal(request.path, '/openai/v1/responses');
    assert.equal(request.headers['api-key'], 'plain-key');
    assert.equal(request.headers.authorization, undefined);
  }
});

const filterResults = { hate: { filtered: false, severity: 'safe' }, violence: { filtered: true } };

/** What this service puts around a chat stream: verdicts on the prompt first, and on each choice. */
function filteredStream(finish: string): string[] {
  const prompt = {
    id: '',
    object: '',
    model: '',
    choices: [],
    prompt_filter_results: [{ prompt_index: 0, content_filter_results: filterResults }],
  };
  const verdict = {
    id: '',
    choices: [
      { index: 0, finish_reason: null, content_filter_offsets: {}, content_filter_results: filterResults },
    ],
  };
  const end = {
    id: 'c1',
    choices: [{ index: 0, delta: {}, finish_reason: finish, content_filter_results: filterResults }],
  };
  const said = chatStream('Good ', 'day.').slice(0, 3);
  const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
  return [event(prompt), ...said, event(verdict), event(end), 'data: [DONE]\n\n'];
}

test('over a socket: a deployment, with the verdicts of content filters', async () => {
  await using fake = await startFakeUpstream({ steps: filteredStream('content_filter') });
  const own = {
    ...deployment,
    endpoint_url: `${fake.url}/openai/deployments/atlas/chat/completions?api-version=2024-10-21`,
  };
  const call = callWith([own], { provider: { baseUrl: fake.url } });
  const { deltas, thrown } = await listen(upstream, call);
  assert.equal(thrown, undefined);
  assert.equal(textOf(deltas), 'Good day.');
  assert.deepEqual(deltas.at(-1), {
    kind: 'finish',
    reason: 'content_filter',
    native: 'content_filter',
  });
  assert.equal(fake.requests[0]?.path, '/openai/deployments/atlas/chat/completions?api-version=2024-10-21');
});

test('over a socket: refusals in the words of this service', async () => {
  const cases = [
    [
      400,
      {
        code: 'content_filter',
        message: 'The prompt was filtered.',
        innererror: { code: 'ResponsibleAIPolicyViolation', content_filter_result: filterResults },
      },
      'upstream_policy',
    ],
    [404, { code: 'DeploymentNotFound', message: 'No such deployment.' }, 'upstream_not_found'],
    [401, { code: '401', message: 'Access denied.' }, 'upstream_credential'],
    [429, { code: '429', message: 'Please retry after 12 seconds.' }, 'upstream_rate_limit'],
    [400, { code: 'context_length_exceeded', message: 'Too long.' }, 'upstream_context_length'],
  ] as const;
  for (const [status, error, code] of cases) {
    await using fake = await startFakeUpstream({
      status,
      headers: { 'content-type': 'application/json' },
      steps: [JSON.stringify({ error })],
    });
    const failure = await failureOf(upstream, callWith('plain-key', { provider: { baseUrl: fake.url } }));
    assert.equal(failure.code, code);
    if (status === 429) assert.equal(failure.retryAfter, 12);
  }
});

test('over a socket: rate limits inside the stream, after a failure without details or as text only', async () => {
  const failed = (error: object | null) => ({
    type: 'response.failed',
    response: { id: 'resp_1', status: 'failed', error, incomplete_details: null, output: [], usage: null },
  });
  const error = {
    type: 'too_many_requests',
    code: 'too_many_requests',
    headers: { 'x-ms-fe-error': 'true' },
    message: 'Your requests to the deployment have exceeded rate limit.',
    param: null,
  };
  const words = { message: 'Rate limit is exceeded. Try again in 17 seconds.' };
  const streams: readonly (readonly [readonly WireEvent[], number | undefined])[] = [
    [[failed(null), { type: 'error', error, sequence_number: 2 }], undefined],
    [[{ type: 'error', error: { ...error, type: null, code: null } }], undefined],
    [[failed(words)], 17],
  ];
  for (const [events, wait] of streams) {
    await using fake = await startFakeUpstream({ steps: toStream(events) });
    const failure = await failureOf(upstream, callWith('plain-key', { provider: { baseUrl: fake.url } }));
    assert.equal(failure.code, 'upstream_rate_limit');
    assert.equal(failure.retryAfter, wait);
  }
  await using fake = await startFakeUpstream({ steps: toStream([failed(null)]) });
  const failure = await failureOf(upstream, callWith('plain-key', { provider: { baseUrl: fake.url } }));
  assert.equal(failure.code, 'provider_failed');
});

test('what can be asked for follows from the dialects in use', () => {
  const supportOf = (credential: unknown) => adapter.support(callWith(credential).endpoint.provider);
  const [responses, chat, both] = [
    supportOf([resource]),
    supportOf([deployment]),
    supportOf([resource, deployment]),
  ];
  assert.equal(responses['tool.mcp'], 'native');
  assert.equal(responses.prompt, 'refused');
  assert.equal(chat['tool.mcp'], 'refused');
  assert.equal(chat['sampling.seed'], 'native');
  assert.equal(both['tool.mcp'], 'refused');
  assert.ok(typeof both['sampling.seed'] === 'object' && 'dropped' in both['sampling.seed']);
});

test('only origin, deployment and version of an address are used; another form is refused', () => {
  const origin = 'https://quay.openai.azure.com';
  const read = (address: string) =>
    adapter.encode(callWith({ ...deployment, endpoint_url: `${origin}${address}` })).path;
  const good = '/openai/deployments/atlas/chat/completions?api-version=2024-10-21';
  assert.equal(read(good), good);
  assert.equal(
    read('/openai/deployments/atlas/chat/completions/?api-version=2024-10-21-preview'),
    `${good}-preview`,
  );
  assert.equal(read('/openai/v1/responses'), '/openai/v1/responses');
  assert.equal(
    read('/openai/v1/chat/completions?api-version=preview'),
    '/openai/v1/chat/completions?api-version=preview',
  );
  for (const address of [
    '/',
    '/admin/keys?api-version=2024-10-21',
    '/openai/deployments/atlas/chat/completions',
    '/openai/deployments/atlas/files?api-version=2024-10-21',
    '/openai/deployments/a%2F..%2Fb/chat/completions?api-version=2024-10-21',
    '/openai/deployments/atlas/chat/completions?api-version=latest',
    '/openai/deployments/atlas/chat/completions?api-version=2024-10-21&x=1',
    '/openai/deployments/atlas/chat/completions?api-version=2024-10-21#x',
  ]) {
    assert.throws(
      () => read(address),
      { code: 'upstream_credential', message: /endpoint_url must end in/ },
      address,
    );
  }
});
