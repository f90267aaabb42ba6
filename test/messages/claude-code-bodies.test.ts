import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { dialects } from '../dialects/dialects.ts';
import { type Stage, setStage } from '../dialects/support/stage.ts';
import { post } from './messages-gateway.ts';

const filler = (length: number) => 'lorem ipsum '.repeat(Math.ceil(length / 12)).slice(0, length);
const betas = [
  'claude-code-20250219',
  'interleaved-thinking-2025-05-14',
  'context-management-2025-06-27',
  'prompt-caching-scope-2026-01-05',
  'effort-2025-11-24',
  'advanced-tool-use-2025-11-20',
  'structured-outputs-2025-12-15',
  'fine-grained-tool-streaming-2025-05-14',
  'mid-conversation-system-2026-03-01',
  'task-budgets-2026-02-02',
  'some-word-of-tomorrow-2027-01-01',
];
const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };

/** A request in the shape that Claude Code sends, with filler for its prose. */
const body = {
  model: 'acme/atlas-4',
  max_tokens: 32_000,
  stream: true,
  system: [
    { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.332; cc_entrypoint=cli; cch=00000;' },
    { type: 'text', text: filler(60), cache_control: { type: 'ephemeral', scope: 'global' } },
    { type: 'text', text: filler(9_000), cache_control: { type: 'ephemeral', ttl: '1h' } },
  ],
  messages: [
    { role: 'user', content: [{ type: 'text', text: filler(400) }] },
    { role: 'system', content: 'The working folder changed.' },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'toolu_1', name: 'ToolSearch', input: { query: 'x' } }],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          content: [{ type: 'tool_reference', tool_name: 'Later' }],
        },
        { type: 'text', text: filler(40), cache_control: { type: 'ephemeral' } },
      ],
    },
  ],
  tools: [
    { name: 'ToolSearch', description: filler(300), input_schema: schema },
    { name: 'Read', description: filler(64_000), input_schema: schema, eager_input_streaming: true },
    { name: 'Later', description: filler(500), input_schema: schema, defer_loading: true },
  ],
  metadata: { user_id: JSON.stringify({ device_id: 'd', account_uuid: '', session_id: 's' }) },
  thinking: { type: 'adaptive' },
  output_config: { effort: 'high' },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  diagnostics: { level: 'none' },
};

for (const dialect of dialects) {
  describe(`${dialect.adapter} ${dialect.model ?? ''}`, { concurrency: false }, () => {
    let stage: Stage & { readonly strike: () => Promise<void> };
    before(async () => {
      stage = await setStage(dialect);
    });
    after(() => stage.strike());

    test('takes what Claude Code sends, and says what it leaves out', async () => {
      stage.say({ utterances: [{ say: ['Done.'] }], finish: 'stop', usage: { input: 9, output: 2 } });
      const response = await post(stage.gateway, body, {
        path: '/messages?beta=true',
        headers: { 'anthropic-beta': betas.join(','), 'x-service-metadata': 'enabled' },
      });
      const text = await response.text();
      assert.equal(response.status, 200, text);
      assert.match(text, /message_stop/);
      const sent = JSON.stringify(stage.provider.bodies.at(-1));
      const isMessages = stage.support.extra === 'native';
      assert.equal(sent.includes('x-anthropic-billing-header'), isMessages);
      assert.equal(sent.includes('context_management'), isMessages);
      assert.match(sent, /Later/);
      const stop = text.slice(text.indexOf('event: message_stop'));
      if (!isMessages) assert.match(stop, /"name":"translation".*context_management/);
    });
  });
}
