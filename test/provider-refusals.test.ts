import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { providerRows } from '../src/catalogue/provider-rows.ts';
import type { ErrorCode } from '../src/core/errors.ts';
import { openaiChatAdapter } from '../src/upstream/openai-chat/openai-chat-adapter.ts';
import { createHttpUpstream } from '../src/upstream/wire/http-upstream.ts';
import { createTransport } from '../src/upstream/wire/transport.ts';
import type { JsonObject } from '../src/util/json.ts';
import { chatChunk, dataEvent } from './fake-upstream/chat-stream.ts';
import { failureOf } from './fake-upstream/collect.ts';
import { startFakeUpstream } from './fake-upstream/fake-upstream.ts';
import { createCall } from './fake-upstream/upstream-call.ts';

const transport = createTransport();
const upstream = createHttpUpstream(openaiChatAdapter, transport);
after(() => transport.destroy());

/** How providers with words of their own say what status alone does not. */
const refusals: readonly (readonly [slug: string, status: number, body: JsonObject, ErrorCode])[] = [
  [
    'alibaba',
    429,
    {
      error: {
        message: 'You exceeded your current quota, please check your plan and billing details.',
        type: 'insufficient_quota',
        param: null,
        code: 'insufficient_quota',
      },
      request_id: '5a1f',
    },
    'upstream_rate_limit',
  ],
  [
    'alibaba',
    400,
    {
      error: { message: 'Access denied, your account is in arrears.', type: 'Arrearage', code: 'Arrearage' },
    },
    'upstream_credential',
  ],
  [
    'alibaba',
    400,
    {
      error: {
        message: 'Output data may contain inappropriate content.',
        type: 'data_inspection_failed',
        code: 'data_inspection_failed',
      },
    },
    'upstream_policy',
  ],
  [
    'moonshotai',
    429,
    { error: { message: 'Your account is suspended.', type: 'exceeded_current_quota_error' } },
    'upstream_credential',
  ],
  [
    'moonshotai',
    429,
    { error: { message: 'The engine is currently overloaded.', type: 'engine_overloaded_error' } },
    'provider_overloaded',
  ],
  [
    'z-ai',
    429,
    { error: { code: '1113', message: 'Your account is in arrears, please recharge and try again' } },
    'upstream_credential',
  ],
  ['z-ai', 429, { error: { code: '1302', message: 'High concurrency usage.' } }, 'upstream_rate_limit'],
  [
    'z-ai',
    400,
    { error: { code: '1301', message: 'System detected potentially unsafe or sensitive content' } },
    'upstream_policy',
  ],
  ['xiaomi', 421, { error: { code: '421', message: 'Content is blocked.' } }, 'upstream_policy'],
  [
    'byteplus',
    400,
    {
      error: {
        code: 'InputTextSensitiveContentDetected',
        message: 'The request failed because the input text may contain sensitive information.',
        param: '',
        type: 'BadRequest',
      },
    },
    'upstream_policy',
  ],
  [
    'seed',
    429,
    { error: { code: 'ServerOverloaded', message: 'Busy.', type: 'TooManyRequests' } },
    'provider_overloaded',
  ],
  [
    'groq',
    400,
    {
      error: {
        message:
          "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
        type: 'invalid_request_error',
        code: 'tool_use_failed',
        failed_generation: '<function=look{"x"',
      },
    },
    'provider_failed',
  ],
  ['groq', 498, { error: { message: 'Flex capacity exceeded.', type: 'capacity' } }, 'provider_overloaded'],
  [
    'minimax',
    200,
    { base_resp: { status_code: 1008, status_msg: 'insufficient balance' } },
    'upstream_credential',
  ],
  [
    'minimax',
    200,
    { choices: [], base_resp: { status_code: 1002, status_msg: 'rate limit' } },
    'upstream_rate_limit',
  ],
  [
    'minimax',
    200,
    { choices: null, base_resp: { status_code: 1026, status_msg: 'input new_sensitive' } },
    'upstream_policy',
  ],
];

for (const [slug, status, body, code] of refusals) {
  test(`${slug}: ${JSON.stringify(body)} with ${status} is ${code}`, async () => {
    const row = providerRows.find((entry) => entry.slug === slug);
    assert.ok(row?.adapter === 'openai-chat');
    const whole = { status, headers: { 'content-type': 'application/json' }, steps: [JSON.stringify(body)] };
    const inside = { steps: [chatChunk({ content: 'a' }), dataEvent(body)] };
    for (const script of status === 200 || code === 'upstream_policy' ? [whole, inside] : [whole]) {
      await using fake = await startFakeUpstream(script);
      const provider = { slug, name: row.name, baseUrl: fake.url, quirks: { ...row.quirks } };
      const failure = await failureOf(upstream, createCall({ provider }));
      assert.equal(failure.code, code);
    }
  });
}
