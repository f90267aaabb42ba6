import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { providerRows } from '../src/catalogue/provider-rows.ts';
import type { Delta } from '../src/core/delta.ts';
import type { ErrorCode } from '../src/core/errors.ts';
import { featuresUsed } from '../src/translation/features-used.ts';
import { refusedFeature } from '../src/translation/refusals.ts';
import { translate } from '../src/translation/translate.ts';
import { openaiResponsesAdapter } from '../src/upstream/openai-responses/openai-responses-adapter.ts';
import { createHttpUpstream } from '../src/upstream/wire/http-upstream.ts';
import { createTransport } from '../src/upstream/wire/transport.ts';
import type { JsonObject } from '../src/util/json.ts';
import { failureOf } from './fake-upstream/collect.ts';
import { startFakeUpstream } from './fake-upstream/fake-upstream.ts';
import { createCall } from './fake-upstream/upstream-call.ts';
import { parse } from './support/request-parsing.ts';

const transport = createTransport();
const upstream = createHttpUpstream(openaiResponsesAdapter, transport);
after(() => transport.destroy());

const rows = providerRows.filter(({ adapter }) => adapter === 'openai-responses');

const rich = {
  instructions: 'Be brief.',
  temperature: 0.5,
  top_logprobs: 2,
  reasoning: { effort: 'minimal', summary: 'auto', context: 'auto' },
  text: { verbosity: 'low', format: { type: 'json_schema', name: 'n', schema: { type: 'object' } } },
  tools: [
    { type: 'function', name: 'f', parameters: { type: 'object' }, strict: true },
    { type: 'custom', name: 'c' },
    { type: 'namespace', name: 'n', description: 'd', tools: [{ type: 'function', name: 'm' }] },
    { type: 'web_search_preview' },
  ],
  tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] },
  include: ['reasoning.encrypted_content'],
  truncation: 'auto',
  service_tier: 'auto',
  prompt_cache_key: 'k',
  prompt_cache_options: { mode: 'explicit' },
  safety_identifier: 's',
};

async function send(row: (typeof rows)[number], body: object, answer: JsonObject) {
  await using fake = await startFakeUpstream({
    headers: { 'content-type': 'application/json' },
    steps: [JSON.stringify(answer)],
  });
  const { canonical } = parse(body);
  const provider = { slug: row.slug, baseUrl: fake.url, quirks: { ...row.quirks } };
  const call = createCall({ provider, streamed: false });
  const { model, endpoint } = call;
  const support = upstream.support(endpoint.provider);
  const used = featuresUsed(canonical);
  assert.equal(refusedFeature(canonical, used, { model, endpoint, support }), undefined);
  const { request, alterations } = translate(canonical, used, { model, endpoint, support });
  const deltas: Delta[] = [];
  for await (const batch of upstream.stream({ ...call, request })) deltas.push(...batch);
  return {
    sent: JSON.parse(JSON.stringify(fake.requests[0]?.body)),
    deltas,
    altered: alterations.map(({ field }) => field),
  };
}

const answer = {
  id: 'resp_1',
  status: 'completed',
  output: [
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'hm' }],
      encrypted_content: 'blob',
    },
    {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Good day.', annotations: [] }],
    },
  ],
  usage: {
    input_tokens: 10,
    output_tokens: 5,
    total_tokens: 15,
    output_tokens_details: { reasoning_tokens: 2 },
  },
};

for (const row of rows) {
  test(`${row.slug}: a rich request goes out without what the row leaves out, and thoughts come back to it`, async () => {
    const { quirks = {} } = row;
    const omitted: readonly string[] = Array.isArray(quirks.omit) ? quirks.omit : [];
    const { sent, deltas } = await send(row, { input: 'Look.', ...rich }, answer);
    for (const member of omitted) assert.ok(!(member in sent), member);
    assert.ok(JSON.stringify(sent).includes('Be brief.'));
    const seal = deltas.find((delta) => delta.kind === 'seal');
    assert.equal(seal?.encrypted, 'blob');
    const item = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] };
    const replayed = { ...item, encrypted_content: 'blob', format: seal?.format };
    const user = { role: 'user', content: 'And?' };
    const said = { role: 'assistant', content: 'It is.' };
    const { sent: again } = await send(row, { input: [user, replayed, said, user] }, answer);
    assert.deepEqual(again.input[1], { ...item, encrypted_content: 'blob' });
  });
}

const xai = rows.find(({ slug }) => slug === 'xai');

test('a provider without half of the dialect is told the rest in other words', async () => {
  assert.ok(xai);
  const { sent, altered } = await send(xai, { input: 'Look.', ...rich }, answer);
  assert.deepEqual(sent.input[0], {
    type: 'message',
    role: 'system',
    content: [{ type: 'input_text', text: 'Be brief.' }],
  });
  assert.deepEqual(sent.reasoning, { effort: 'low', summary: 'auto' });
  assert.deepEqual(
    sent.tools.map(({ type, name }: JsonObject) => [type, name]),
    [
      ['function', 'f'],
      ['function', 'c'],
      ['function', 'n__m'],
      ['web_search', undefined],
    ],
  );
  assert.equal(sent.tool_choice, 'auto');
  assert.deepEqual(sent.include, ['reasoning.encrypted_content']);
  assert.equal(sent.service_tier, undefined);
  for (const field of [
    'text.verbosity',
    'tools[1]',
    'tools[2]',
    'tool_choice',
    'reasoning.effort',
    'top_logprobs',
  ]) {
    assert.ok(altered.includes(field), field);
  }
  assert.ok(!altered.includes('service_tier'));
});

test('reasoning counted beside the output is recognised by the total', async () => {
  assert.ok(xai);
  const usage = { ...answer.usage, total_tokens: 17 };
  for (const [told, output] of [
    [answer.usage, 5],
    [usage, 7],
  ] as const) {
    const { deltas } = await send(xai, { input: 'x' }, { ...answer, usage: told });
    const last = deltas.find((delta) => delta.kind === 'usage');
    assert.deepEqual([last?.usage.output, last?.usage.reasoning], [output, 2]);
  }
});

test('searches are counted as the provider bills them: opening a page is one there', async () => {
  assert.ok(xai);
  const searched = (id: string, action: JsonObject) => ({
    type: 'web_search_call',
    id,
    status: 'completed',
    action,
  });
  const output = [
    searched('ws_1', { type: 'search', query: 'tides Brest', sources: [] }),
    searched('ws_2', { type: 'open_page', url: 'https://tides.example/brest' }),
    ...answer.output,
  ];
  const usage = {
    input_tokens: 7583,
    input_tokens_details: { cached_tokens: 3072 },
    output_tokens: 3192,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 10775,
    num_sources_used: 0,
    num_server_side_tools_used: 2,
    cost_in_usd_ticks: 292331500,
    server_side_tool_usage_details: { web_search_calls: 2, x_search_calls: 0, code_interpreter_calls: 0 },
  };
  const { deltas } = await send(xai, { input: 'x' }, { ...answer, output, usage });
  const counted = deltas.find((delta) => delta.kind === 'usage')?.usage;
  assert.deepEqual(
    [counted?.uncachedInput, counted?.cacheRead, counted?.output, counted?.webSearches],
    [4511, 3072, 3192, 2],
  );
});

const refusals: readonly (readonly [number, JsonObject, ErrorCode])[] = [
  [
    400,
    {
      code: 'Client specified an invalid argument',
      error: 'Incorrect API key provided: xa***ey. You can obtain an API key from https://console.x.ai.',
    },
    'upstream_credential',
  ],
  [
    403,
    {
      code: 'The caller does not have permission to execute the specified operation',
      error: 'Content violates usage guidelines. Model: grok-4-0709, Failed check: SAFETY_CHECK_TYPE_BIO',
    },
    'upstream_flagged',
  ],
  [
    403,
    { code: 'permission-denied', error: 'Access to the chat endpoint is denied.' },
    'upstream_credential',
  ],
  [
    429,
    {
      code: 'Some resource has been exhausted',
      error: 'Your team 1f has either used all available credits or reached its monthly spending limit.',
    },
    'upstream_credential',
  ],
  [
    200,
    { code: 'The service is currently unavailable', error: 'Timed out waiting for first token' },
    'provider_overloaded',
  ],
];

for (const [status, body, code] of refusals) {
  test(`xai: a flat refusal, ${status}: ${body.error}`, async () => {
    assert.ok(xai);
    const whole = { headers: { 'content-type': 'application/json' }, steps: [JSON.stringify(body)] };
    const event = { steps: [`data: ${JSON.stringify(body)}\n\n`] };
    for (const script of status === 200 ? [whole, event] : [{ status, ...whole }]) {
      await using fake = await startFakeUpstream(script);
      const provider = { slug: xai.slug, baseUrl: fake.url, quirks: { ...xai.quirks } };
      const failure = await failureOf(upstream, createCall({ provider }));
      assert.equal(failure.code, code);
      if (code === 'upstream_flagged') assert.equal(failure.message, body.error);
    }
  });
}
