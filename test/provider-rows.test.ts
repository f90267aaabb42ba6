import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import {
  providerGuideFile,
  providerReferenceFile,
  renderProviderGuide,
  renderProviderReference,
} from '../scripts/provider-reference.ts';
import type { ProviderRow } from '../src/catalogue/provider-row.ts';
import { providerRows } from '../src/catalogue/provider-rows.ts';
import type { CanonicalChat, Item } from '../src/core/request.ts';
import type { Usage } from '../src/core/usage.ts';
import { openaiChatAdapter } from '../src/upstream/openai-chat/openai-chat-adapter.ts';
import { createHttpUpstream } from '../src/upstream/wire/http-upstream.ts';
import { createTransport } from '../src/upstream/wire/transport.ts';
import type { JsonObject } from '../src/util/json.ts';
import { chatChunk, dataEvent } from './fake-upstream/chat-stream.ts';
import { listen } from './fake-upstream/collect.ts';
import { type FakeUpstream, startFakeUpstream } from './fake-upstream/fake-upstream.ts';
import { createCall, testApiKey } from './fake-upstream/upstream-call.ts';
import { checkContract } from './support/contract.ts';

type ChatRow = Extract<ProviderRow, { adapter: 'openai-chat' }>;

const chatRows = providerRows.filter((row): row is ChatRow => row.adapter === 'openai-chat');
const transport = createTransport();
const upstream = createHttpUpstream(openaiChatAdapter, transport);
after(() => transport.destroy());

/** Slugs of our own, which the contract does not know. */
const ownSlugs = new Set(['sandbox', 'ollama']);

test('rows have the contract’s slugs, each once, and there are many', () => {
  const slugs = providerRows.map(({ slug }) => slug).filter((slug) => !ownSlugs.has(slug));
  assert.equal(new Set(slugs).size, slugs.length);
  assert.ok(slugs.length >= 40, String(slugs.length));
  for (const slug of slugs) checkContract('BYOKProviderSlug', slug);
});

test('a row that was checked says against what', () => {
  for (const { slug, checked, source } of providerRows) {
    if (checked !== undefined) assert.ok(source, slug);
  }
});

test('the references of providers and quirks are made from rows and definition', () => {
  const kept = readFileSync(providerReferenceFile, 'utf8');
  assert.equal(kept, renderProviderReference(), 'run "npm run docs" and commit docs/providers.md');
  const guide = readFileSync(providerGuideFile, 'utf8');
  assert.equal(guide, renderProviderGuide(), 'run "npm run docs" and commit docs/adding-a-provider.md');
});

const schema = { type: 'object', properties: { a: { type: 'string' } } };

/** Everything a request can set, so that what a row refuses must be taken out. */
const rich: Partial<CanonicalChat> = {
  instructions: 'Be brief.',
  items: [
    { kind: 'message', role: 'user', content: [{ kind: 'text', text: 'Look.' }] },
    { kind: 'reasoning', summary: [], content: ['hm'], encrypted: 'blob', format: 'xai-responses-v1' },
    { kind: 'call', form: 'function', callId: 'call_1', name: 'look', input: '{"x":1}' },
    { kind: 'call_output', form: 'function', callId: 'call_1', output: [{ kind: 'text', text: 'seen' }] },
    { kind: 'message', role: 'developer', content: [{ kind: 'text', text: 'Go on.' }] },
    {
      kind: 'message',
      role: 'user',
      content: [{ kind: 'text', text: 'And?', cacheControl: { ttl: '5m' } }],
    },
  ],
  tools: [{ kind: 'function', name: 'look', parameters: schema, strict: true }],
  toolChoice: { kind: 'required' },
  parallelToolCalls: false,
  maxOutputTokens: 4000,
  sampling: {
    temperature: 0.5,
    topP: 0.5,
    topK: 5,
    minP: 0.1,
    topA: 0.1,
    frequencyPenalty: 0.1,
    presencePenalty: 0.1,
    repetitionPenalty: 1.1,
    seed: 7,
    stop: ['x'],
    logitBias: { 7: 1 },
    topLogprobs: 2,
  },
  format: { kind: 'json_schema', name: 'answer', schema, strict: true },
  verbosity: 'low',
  reasoning: { effort: 'high' },
  serviceTier: 'default',
  promptCacheKey: 'k',
  cacheControl: { ttl: '5m' },
  endUser: 'someone',
};

/** A provider as its row has it, but answering here. */
function callOf(row: ChatRow, fake: FakeUpstream, request = rich, upstreamModel = 'atlas-4-instruct') {
  const provider = { slug: row.slug, name: row.name, baseUrl: fake.url, quirks: { ...row.quirks } };
  return createCall({ request, provider, endpoint: { upstreamModel } });
}

/** The member of an answer that carries reasoning at a provider, as its row says it takes it back. */
function thought(row: ChatRow): JsonObject {
  switch (row.quirks?.reasoningReplay) {
    case 'reasoning_details':
      return { reasoning_details: [{ type: 'reasoning.text', text: 'hm' }] };
    case 'thinking_parts':
      return { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] };
    case 'reasoning':
      return { reasoning: 'hm' };
    default:
      return { reasoning_content: 'hm' };
  }
}

const usage: JsonObject = {
  prompt_tokens: 10,
  completion_tokens: 5,
  total_tokens: 15,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 2 },
};
const counted: Usage = { uncachedInput: 6, cacheRead: 4, output: 5, reasoning: 2 };

/** Last chunks of providers that document counts of their own, with what they come to. */
const ownCounts: Readonly<Record<string, readonly [JsonObject, Usage]>> = {
  alibaba: [
    {
      usage: {
        ...usage,
        prompt_tokens_details: { cached_tokens: 4, cache_creation_input_tokens: 3 },
      },
    },
    { ...counted, uncachedInput: 3, cacheWrite: 3 },
  ],
  deepseek: [
    {
      usage: {
        prompt_tokens: 10,
        prompt_cache_hit_tokens: 4,
        prompt_cache_miss_tokens: 6,
        completion_tokens: 5,
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    },
    counted,
  ],
  deepinfra: [
    {
      usage: { prompt_tokens: 10, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 9 } },
    },
    { uncachedInput: 10, output: 14, reasoning: 9 },
  ],
  digitalocean: [
    {
      usage: {
        prompt_tokens: 14,
        completion_tokens: 100,
        total_tokens: 114,
        cache_created_input_tokens: 1043,
        cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 1043 },
        cache_read_input_tokens: 0,
      },
    },
    { uncachedInput: 14, cacheRead: 0, cacheWrite: 1043, output: 100 },
  ],
  groq: [
    { x_groq: { usage: { prompt_tokens: 10, completion_tokens: 5 } } },
    { uncachedInput: 10, output: 5 },
  ],
  mistral: [
    { usage: { prompt_tokens: 10, completion_tokens: 5, num_cached_tokens: 4 } },
    { uncachedInput: 6, cacheRead: 4, output: 5 },
  ],
  moonshotai: [
    { usage: { prompt_tokens: 10, completion_tokens: 5, cached_tokens: 4 } },
    { uncachedInput: 6, cacheRead: 4, output: 5 },
  ],
  perplexity: [
    { usage: { prompt_tokens: 10, completion_tokens: 5, reasoning_tokens: 2, num_search_queries: 3 } },
    { uncachedInput: 10, output: 5, reasoning: 2, webSearches: 3 },
  ],
};

for (const row of chatRows) {
  const { quirks = {} } = row;
  const [lastChunk, expectedUsage] = ownCounts[row.slug] ?? [{ usage }, counted];

  test(`${row.slug}: a rich request goes out without what the row refuses`, async () => {
    const steps = [
      chatChunk(thought(row)),
      chatChunk({ content: 'Good day.' }),
      chatChunk({}, 'stop'),
      dataEvent({ choices: [], ...lastChunk }),
      'data: [DONE]\n\n',
    ];
    await using fake = await startFakeUpstream({ steps });
    const { deltas, thrown } = await listen(upstream, callOf(row, fake));
    assert.equal(thrown, undefined);
    const [request] = fake.requests;
    const body = request?.body as JsonObject;
    for (const name of quirks.omit ?? []) assert.ok(!(name in body), name);
    for (const [name, value] of Object.entries(quirks.body ?? {})) {
      assert.deepEqual(subset(body[name], value), value, name);
    }
    assert.equal(body[quirks.maxTokensField ?? 'max_tokens'], 4000);
    assert.equal('stream_options' in body, quirks.streamOptions !== false);
    assert.equal(request?.headers.authorization, `Bearer ${testApiKey}`);
    for (const control of quirks.reasoningControls ?? ['reasoning_effort']) {
      assert.ok((control.split('.')[0] ?? '') in body, control);
    }
    assert.ok(!JSON.stringify(body).includes('blob'), 'another maker’s seal is not handed on');
    assert.deepEqual(withoutStart(deltas), [
      { kind: 'thinking', block: 0, text: 'hm' },
      { kind: 'text', block: 1, text: 'Good day.' },
      { kind: 'usage', usage: expectedUsage },
      { kind: 'finish', reason: 'stop', native: 'stop' },
    ]);
  });

  test(`${row.slug}: what its table calls native for a choice or a format is sent`, async () => {
    await using fake = await startFakeUpstream({ steps: [chatChunk({ content: 'x' }, 'stop')] });
    const call = callOf(row, fake);
    await listen(upstream, call);
    const support = openaiChatAdapter.support(call.endpoint.provider, 'atlas-4-instruct');
    const body = fake.requests[0]?.body as JsonObject;
    assert.equal('response_format' in body, support['text.json_schema'] === 'native' || hasJsonMode(quirks));
    assert.equal('tool_choice' in body, support['tool_choice.required'] === 'native');
    assert.equal('seed' in body || 'random_seed' in body, support['sampling.seed'] === 'native');
    const marks = JSON.stringify(body).includes('cache_control');
    const { cache_control: marked } = support;
    assert.equal(marks, typeof marked === 'object' && 'adapted' in marked);
  });

  for (const pattern of Object.keys(quirks.byModel ?? {})) {
    test(`${row.slug}: the quirks of ${pattern} win`, async () => {
      const overlay = quirks.byModel?.[pattern] ?? {};
      await using fake = await startFakeUpstream({ steps: [chatChunk({ content: 'x' }, 'stop')] });
      await listen(upstream, callOf(row, fake, rich, pattern.replaceAll('*', 'x')));
      const body = fake.requests[0]?.body as JsonObject;
      for (const name of overlay.omit ?? []) assert.ok(!(name in body), name);
      const levels = overlay.efforts?.filter((effort) => effort !== 'none');
      for (const control of levels?.length === 0 ? [] : (overlay.reasoningControls ?? [])) {
        assert.ok((control.split('.')[0] ?? '') in body, control);
      }
      if (overlay.reasoningReplay === 'think_tags') assert.match(JSON.stringify(body), /<think>/);
      if (overlay.toolChoices?.includes('required') === false) assert.ok(!('tool_choice' in body));
    });
  }
}

test('perplexity: deep research bills what it read and thought beside the prompt and the answer', async () => {
  const row = chatRows.find(({ slug }) => slug === 'perplexity');
  assert.ok(row);
  const told = {
    prompt_tokens: 108,
    completion_tokens: 3256,
    total_tokens: 3364,
    citation_tokens: 7299,
    num_search_queries: 74,
    reasoning_tokens: 73248,
    search_context_size: 'low',
    cost: { total_cost: 0.631 },
  };
  const last = chatChunk({ content: 'x' }, 'stop', { usage: told, citations: [], search_results: [] });
  await using fake = await startFakeUpstream({ steps: [last] });
  for (const [model, uncachedInput] of [
    ['sonar-deep-research', 7407],
    ['sonar-reasoning-pro', 108],
  ] as const) {
    const { deltas } = await listen(upstream, callOf(row, fake, rich, model));
    const counts = JSON.parse(JSON.stringify(deltas.find(({ kind }) => kind === 'usage')));
    const others = { output: 76504, reasoning: 73248, webSearches: 74 };
    assert.deepEqual(counts.usage, { uncachedInput, ...others });
  }
});

const thinkers = [
  ['deepseek', 'deepseek-v4-pro'],
  ['moonshotai', 'kimi-k3'],
  ['xiaomi', 'mimo-v3'],
] as const;

for (const [slug, model] of thinkers) {
  test(`${slug}: turns of others, who gave no thoughts, are not refused for the lack of them`, async () => {
    const row = chatRows.find((entry) => entry.slug === slug);
    assert.ok(row);
    await using fake = await startFakeUpstream({ steps: [chatChunk({ content: 'x' }, 'stop')] });
    const say = (role: 'user' | 'assistant', text: string) =>
      ({ kind: 'message', role, content: [{ kind: 'text', text }] }) as const;
    const items: Item[] = [
      say('user', 'Look.'),
      { kind: 'reasoning', summary: [], content: ['hm'] },
      say('assistant', 'Where?'),
      say('user', 'There.'),
      { kind: 'reasoning', summary: [], content: [], encrypted: 'blob', format: 'openai-responses-v1' },
      { kind: 'call', form: 'function', callId: 'call_1', name: 'look', input: '{}' },
      { kind: 'call_output', form: 'function', callId: 'call_1', output: [{ kind: 'text', text: 'seen' }] },
      say('assistant', 'Done.'),
      say('user', 'And?'),
    ];
    await listen(upstream, callOf(row, fake, { items }, model));
    const body = fake.requests[0]?.body as { readonly messages: readonly JsonObject[] } | undefined;
    const turns = body?.messages.filter(({ role }) => role === 'assistant');
    const told = turns?.map((turn) => turn.reasoning_content);
    assert.deepEqual(told, ['hm', ' ', ' ']);
  });
}

test('mistral: efforts go to the models that take them', async () => {
  const row = chatRows.find(({ slug }) => slug === 'mistral');
  assert.ok(row);
  await using fake = await startFakeUpstream({ steps: [chatChunk({ content: 'x' }, 'stop')] });
  for (const [model, effort] of [
    ['mistral-large-4-0', 'medium'],
    ['mistral-medium-3-5', 'high'],
    ['mistral-medium-3-1', undefined],
    ['mistral-large-2512', undefined],
  ] as const) {
    await listen(upstream, callOf(row, fake, { reasoning: { effort: 'medium' } }, model));
    const body = fake.requests.at(-1)?.body as JsonObject;
    assert.equal(body.reasoning_effort, effort, model);
  }
});

test('deepseek: models that think cannot be made to call, by whichever name', async () => {
  const row = chatRows.find(({ slug }) => slug === 'deepseek');
  assert.ok(row);
  await using fake = await startFakeUpstream({ steps: [chatChunk({ content: 'x' }, 'stop')] });
  for (const model of ['deepseek-v4-pro', 'deepseek-v4.1-flash', 'deepseek-flash']) {
    await listen(upstream, callOf(row, fake, rich, model));
    const body = fake.requests.at(-1)?.body as JsonObject;
    assert.ok(!('tool_choice' in body), model);
  }
});

test('groq: efforts and thoughts go to models that take them, in words that they know', async () => {
  const row = chatRows.find(({ slug }) => slug === 'groq');
  assert.ok(row);
  await using fake = await startFakeUpstream({ steps: [chatChunk({ content: 'x' }, 'stop')] });
  const sealed: Item = { kind: 'reasoning', summary: [], content: [], encrypted: 'blob' };
  const spoken: Item = { kind: 'message', role: 'assistant', content: [{ kind: 'text', text: 'Yes.' }] };
  const expected = [
    ['llama-3.3-70b-versatile', 'high', undefined, undefined],
    ['openai/gpt-oss-120b', 'xhigh', 'high', 'hm'],
    ['qwen/qwen3.6-27b', 'high', undefined, 'hm'],
    ['qwen/qwen3.6-27b', 'none', 'none', 'hm'],
  ] as const;
  for (const [model, effort, sentEffort, reasoning] of expected) {
    const items = [...(rich.items ?? []), sealed, spoken];
    await listen(upstream, callOf(row, fake, { ...rich, items, reasoning: { effort } }, model));
    const body = fake.requests.at(-1)?.body as JsonObject & { messages: readonly JsonObject[] };
    assert.equal(body.reasoning_effort, sentEffort, model);
    const turns = body.messages.filter(({ role }) => role === 'assistant');
    assert.deepEqual(
      turns.map((turn) => turn.reasoning),
      [reasoning, undefined],
      model,
    );
    assert.ok(
      turns.every((turn) => turn.reasoning !== ''),
      model,
    );
  }
});

function hasJsonMode({ structuredOutput, omit }: NonNullable<ChatRow['quirks']>): boolean {
  if (omit?.includes('response_format')) return false;
  return structuredOutput === 'json_object';
}

function withoutStart(deltas: readonly object[]): object[] {
  return JSON.parse(JSON.stringify(deltas)).slice(1);
}

/** The members of a value that a pattern has, too. */
function subset(value: unknown, pattern: unknown): unknown {
  if (typeof pattern !== 'object' || pattern === null) return value;
  const known = value as JsonObject;
  return Object.fromEntries(Object.keys(pattern).map((name) => [name, known[name]]));
}
