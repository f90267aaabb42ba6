import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CallChanges, createCall, testApiKey } from '../../../test/fake-upstream/upstream-call.ts';
import { sentBody } from '../../../test/support/adapter-harness.ts';
import type { CanonicalChat } from '../../core/request.ts';
import { anthropicMessagesAdapter as adapter } from './anthropic-messages-adapter.ts';

const plain = {
  model: 'atlas-4-instruct',
  stream: true,
  max_tokens: 4096,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello there' }] }],
};

test('a plain call is streamed and contains nothing that was not requested', () => {
  const wire = adapter.encode(createCall());
  assert.equal(wire.path, '/messages');
  assert.deepEqual(wire.headers, { 'anthropic-version': '2023-06-01', 'x-api-key': testApiKey });
  assert.deepEqual(sentBody(adapter, {}), plain);
});

test('an unstreamed call asks for one body, unless the provider only streams', () => {
  assert.deepEqual(sentBody(adapter, { streamed: false }), { ...plain, stream: false });
  const provider = { quirks: { alwaysStream: true } };
  assert.deepEqual(sentBody(adapter, { streamed: false, provider }), plain);
});

test('a provider without a key gets none', () => {
  const { headers } = adapter.encode(createCall({ provider: { apiKey: undefined } }));
  assert.deepEqual(headers, { 'anthropic-version': '2023-06-01' });
});

test('the output limit is the caller’s, the endpoint’s, the provider’s or 4096', () => {
  const quirks = { defaultMaxTokens: 500 };
  const limit = (changes: CallChanges) => sentBody(adapter, changes).max_tokens;
  assert.equal(limit({ request: { maxOutputTokens: 9 }, endpoint: { maxCompletionTokens: 8192 } }), 9);
  assert.equal(limit({ endpoint: { maxCompletionTokens: 8192 }, provider: { quirks } }), 8192);
  assert.equal(limit({ provider: { quirks } }), 500);
});

const settings: readonly (readonly [string, Partial<CanonicalChat>, object])[] = [
  ['instructions', { instructions: 'Be brief.' }, { system: [{ type: 'text', text: 'Be brief.' }] }],
  ['blank instructions', { instructions: ' ' }, {}],
  [
    'samplers the dialect has, and no others',
    { sampling: { temperature: 1.5, topK: 5, stop: ['a', ' '], seed: 1, minP: 0, presencePenalty: 1 } },
    { temperature: 1, top_k: 5, stop_sequences: ['a'] },
  ],
  ['a sampler turned off', { sampling: { topK: 0, topP: 0.5 } }, { top_p: 0.5 }],
  ['a neutral top_p', { sampling: { temperature: 0.3, topP: 1 } }, { temperature: 0.3 }],
  ['a neutral temperature', { sampling: { temperature: 1, topP: 0.3 } }, { top_p: 0.3 }],
  ['two samplers', { sampling: { temperature: 0.5, topP: 0.3 } }, { temperature: 0.5, top_p: 0.3 }],
  ['an end user', { endUser: 'hash' }, { metadata: { user_id: 'hash' } }],
  ['the default tier', { serviceTier: 'default' }, { service_tier: 'standard_only' }],
  ['any tier', { serviceTier: 'auto' }, { service_tier: 'auto' }],
  ['a tier of another endpoint', { serviceTier: 'priority' }, {}],
  ['a tier the dialect does not have', { serviceTier: 'flex' }, {}],
  [
    'a schema',
    { format: { kind: 'json_schema', name: 'n', schema: { type: 'object' } } },
    {
      output_config: {
        format: { type: 'json_schema', schema: { type: 'object', additionalProperties: false } },
      },
    },
  ],
];

for (const [name, request, sent] of settings) {
  test(`settings: ${name}`, () => assert.deepEqual(sentBody(adapter, { request }), { ...plain, ...sent }));
}

test('a tier endpoint may use its tier', () => {
  assert.equal(sentBody(adapter, { endpoint: { tier: 'priority' } }).service_tier, 'auto');
});

test('what the endpoint does not support is left out', () => {
  const request: Partial<CanonicalChat> = {
    tools: [{ kind: 'function', name: 'f' }],
    sampling: { temperature: 0.5, topP: 0.5, topK: 3, stop: ['x'] },
    reasoning: { effort: 'high' },
    parallelToolCalls: false,
  };
  const sent = (...names: string[]) =>
    sentBody(adapter, { request, endpoint: { supportedParameters: new Set(names) } });
  assert.deepEqual(sent(), plain);
  assert.deepEqual(sent('tools', 'top_k'), {
    ...plain,
    top_k: 3,
    tools: [{ name: 'f', input_schema: { type: 'object', properties: {} } }],
  });
});

test('a cache breakpoint of the request stands at the top and spares a block’s own', () => {
  const cacheControl = { ttl: '1h' } as const;
  const content = [{ kind: 'text', text: 'a', cacheControl } as const, { kind: 'text', text: 'b' } as const];
  const request = {
    cacheControl: { ttl: '5m' },
    items: [{ kind: 'message', role: 'user', content }],
  } as const;
  const body = sentBody(adapter, { request });
  assert.deepEqual(body.cache_control, { type: 'ephemeral', ttl: '5m' });
  assert.deepEqual(body.messages, [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } },
        { type: 'text', text: 'b' },
      ],
    },
  ]);
});

test('models that take one sampler alone get the temperature', () => {
  const request = { sampling: { temperature: 0.5, topP: 0.3 } };
  const { temperature, top_p } = sentBody(adapter, {
    request,
    endpoint: { upstreamModel: 'claude-sonnet-4-5' },
  });
  assert.deepEqual([temperature, top_p], [0.5, undefined]);
});
