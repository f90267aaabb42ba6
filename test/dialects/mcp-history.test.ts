import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Item } from '../../src/core/request.ts';
import { featuresUsed } from '../../src/translation/features-used.ts';
import { translate } from '../../src/translation/translate.ts';
import type { Adapter } from '../../src/upstream/adapter.ts';
import { anthropicMessagesAdapter } from '../../src/upstream/anthropic-messages/anthropic-messages-adapter.ts';
import { googleGeminiAdapter } from '../../src/upstream/google-gemini/google-gemini-adapter.ts';
import { createCall } from '../fake-upstream/upstream-call.ts';

const items: readonly Item[] = [
  { kind: 'message', role: 'user', content: [{ kind: 'text', text: 'Book it.' }] },
  {
    kind: 'hosted',
    type: 'mcp_list_tools',
    id: 'list',
    fields: { server_label: 'harbour', tools: [{ name: 'book', input_schema: {} }] },
  },
  {
    kind: 'hosted',
    type: 'mcp_approval_request',
    id: 'ask',
    fields: { server_label: 'harbour', name: 'book', arguments: '{"berth":7}' },
  },
  {
    kind: 'hosted',
    type: 'mcp_approval_response',
    fields: { approval_request_id: 'ask', approve: false, reason: 'Too dear.' },
  },
];

/** The conversation as it goes out. */
function sent(adapter: Adapter, upstreamModel: string): string {
  const call = createCall({ request: { items }, endpoint: { upstreamModel } });
  const support = adapter.support(call.endpoint.provider, upstreamModel);
  const { request } = translate(call.request, featuresUsed(call.request), { ...call, support });
  return JSON.stringify(adapter.encode({ ...call, request }).body);
}

for (const [adapter, model] of [
  [anthropicMessagesAdapter, 'claude-opus-4-8'],
  [googleGeminiAdapter, 'gemini-3-pro'],
] as const) {
  test(`${model} is told which tools a server had, and that a call was not approved`, () => {
    const body = sent(adapter, model);
    for (const word of ['mcp_list_tools', 'harbour', 'input_schema', 'berth', 'Too dear.']) {
      assert.ok(body.includes(word), `${word} in ${body}`);
    }
  });
}
