import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type AskedProviders, askProviders, type Body } from './support/asked-providers.ts';

/* What users of gateways reported that is lost or refused: budgets, blank texts, settings of searches, and who is told. */

let providers: AskedProviders;

before(async () => {
  providers = await askProviders();
});

after(() => providers.close());

const strict = { 'x-service-strict': 'true' };

test('a budget that leaves no room beside the output limit is 422 at Gemini 2.5 as at Claude', async () => {
  const q = { input: 'q', max_output_tokens: 100 };
  const before = providers.count;
  for (const model of ['google/gemini-2.5-flash', 'acme/claude-3-7-sonnet']) {
    for (const reasoning of [{ effort: 'low' }, { effort: 'high' }]) {
      const answer = await providers.ask('responses', model, { ...q, reasoning });
      assert.equal(answer.status, 422, model);
      assert.match(await answer.text(), /must be greater than the reasoning budget \(1024\)/);
    }
  }
  assert.equal(providers.count, before);
  const { generationConfig } = await providers.sent('responses', 'google/gemini-2.5-flash', {
    input: 'q',
    max_output_tokens: 4000,
    reasoning: { effort: 'medium' },
  });
  assert.ok(generationConfig.thinkingConfig.thinkingBudget < 4000);
});

test('a conversation of blank texts is 400 at every door, and no provider is asked', async () => {
  const before = providers.count;
  for (const model of ['acme/responses', 'google/gemini-3-pro', 'acme/claude-sonnet-4.5', 'acme/chat']) {
    for (const [door, body] of [
      ['responses', { input: ' ' }],
      ['responses', { input: [{ role: 'user', content: [{ type: 'input_text', text: '' }] }] }],
      [
        'chat/completions',
        {
          messages: [
            { role: 'system', content: '\n' },
            { role: 'user', content: '' },
          ],
        },
      ],
      ['messages', { max_tokens: 9, messages: [{ role: 'user', content: [{ type: 'text', text: '  ' }] }] }],
    ] as const) {
      const answer = await providers.ask(door, model, body);
      const text = await answer.text();
      assert.equal(answer.status, 400, `${door} ${model} ${text}`);
      assert.match(text, /(input|messages): (holds nothing but blank text|must hold at least one item)/);
    }
  }
  assert.equal(providers.count, before);
});

describe('what a provider does not take is told', () => {
  const searching = (filters: object) => ({ input: 'q', tools: [{ type: 'web_search', filters }] });
  const claude = 'acme/claude-sonnet-4.5';

  test('of a block list beside an allow list, Claude', async () => {
    const both = { allowed_domains: ['a.com', 'b.com'], blocked_domains: ['x.a.com', 'b.com'] };
    const { tools } = await providers.sent('responses', claude, searching(both));
    assert.deepEqual(tools[0].allowed_domains, ['a.com']);
    const refused = await providers.ask('responses', claude, searching(both), strict);
    assert.equal(refused.status, 422);
    assert.match(await refused.text(), /a blocked domain counts beside an allow list only if/);
    const none = { allowed_domains: ['a.com'], blocked_domains: ['a.com'] };
    const before = providers.count;
    const nothing = await providers.ask('responses', claude, searching(none));
    assert.equal(nothing.status, 400);
    assert.match(await nothing.text(), /no web search whose allowed domains are all blocked/);
    assert.equal(providers.count, before);
  });

  test('of the plugin `web` where the provider searches: number, mode and the text before the results', async () => {
    for (const setting of [{ max_results: 3 }, { search_prompt: 'Found:' }, { mode: 'deep' }]) {
      const plugins = [{ id: 'web', engine: 'native', ...setting }];
      await providers.sent('responses', claude, { input: 'q', plugins });
      const refused = await providers.ask('responses', claude, { input: 'q', plugins }, strict);
      assert.equal(refused.status, 422, JSON.stringify(setting));
    }
    const plain = [{ id: 'web', engine: 'native' }];
    const { status } = await providers.ask('responses', claude, { input: 'q', plugins: plain }, strict);
    assert.equal(status, 400, 'what the provider says');
  });

  test('of readable reasoning, chat completions and Claude', async () => {
    const thought = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] };
    const call = { type: 'function_call', call_id: 'c', name: 'w', arguments: '{}' };
    const output = { type: 'function_call_output', call_id: 'c', output: 'x' };
    const input = [{ role: 'user', content: 'q' }, thought, call, output];
    const request = { input, tools: [{ type: 'function', name: 'w', parameters: { type: 'object' } }] };
    for (const model of ['acme/chat', claude]) {
      const sent = await providers.sent('responses', model, request);
      assert.ok(!JSON.stringify(sent).includes('Hm.'));
      const refused = await providers.ask('responses', model, request, strict);
      assert.equal(refused.status, 422, model);
      assert.match(await refused.text(), /input\[1\] would be dropped/);
    }
  });

  test('not of the pseudonym that the gateway itself adds', async () => {
    const request = { max_tokens: 9, messages: [{ role: 'user', content: 'q' }] };
    for (const model of ['ollama/qwen3', 'google/gemini-3-pro']) {
      const { status } = await providers.ask('messages', model, request, strict);
      assert.equal(status, 400, 'what the provider says');
      const named = { ...request, metadata: { user_id: 'somebody' } };
      const refused: Body = await providers.ask('messages', model, named, strict);
      assert.equal(refused.status, 422, model);
    }
  });
});
