import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Item, ReasoningItem } from '../../src/core/request.ts';
import { estimateInputTokens } from '../../src/settlement/measured-prompt.ts';
import { amazonBedrockAdapter } from '../../src/upstream/amazon-bedrock/amazon-bedrock-adapter.ts';
import { anthropicMessagesAdapter } from '../../src/upstream/anthropic-messages/anthropic-messages-adapter.ts';
import { googleGeminiAdapter } from '../../src/upstream/google-gemini/google-gemini-adapter.ts';
import { openaiChatAdapter } from '../../src/upstream/openai-chat/openai-chat-adapter.ts';
import { openaiResponsesAdapter } from '../../src/upstream/openai-responses/openai-responses-adapter.ts';
import { createCall } from '../fake-upstream/upstream-call.ts';

const adapters = {
  amazonBedrockAdapter,
  anthropicMessagesAdapter,
  googleGeminiAdapter,
  openaiChatAdapter,
  openaiResponsesAdapter,
};
/** More than one call takes as arguments. */
const many = 150_000;

function encode(name: keyof typeof adapters, items: readonly Item[]): unknown {
  return adapters[name].encode(createCall({ request: { items: [...items] } })).body;
}

for (const name of Object.keys(adapters) as (keyof typeof adapters)[]) {
  test(`${name}: a turn may have any number of parts`, () => {
    const part = { kind: 'text', text: 'a' } as const;
    const said: Item = { kind: 'message', role: 'user', content: [part] };
    const items: Item[] = [said, { ...said, content: new Array(many).fill(part) }, said];
    assert.ok(encode(name, items));
  });

  test(`${name}: each of many thoughts is told without looking through all items`, () => {
    let looks = 0;
    const thought = (): ReasoningItem => ({
      get kind() {
        looks += 1;
        return 'reasoning' as const;
      },
      content: ['a'],
      summary: [],
      signature: 'QUJD',
    });
    const items: Item[] = Array.from({ length: 1_000 }, thought);
    items.push({ kind: 'message', role: 'assistant', content: [{ kind: 'text', text: 'a' }] });
    encode(name, items);
    assert.ok(looks <= 20 * items.length, `${looks} looks at items`);
  });
}

for (const reasoningReplay of ['reasoning_details', 'reasoning_content']) {
  test(`${reasoningReplay}: thoughts of one turn are put together once`, () => {
    let reads = 0;
    const thought = (): ReasoningItem => ({
      kind: 'reasoning',
      get content() {
        reads += 1;
        return ['a'];
      },
      summary: [],
    });
    const call: Item = { kind: 'call', form: 'function', callId: 'c', name: 'f', input: '{}' };
    const output: Item = { kind: 'call_output', form: 'function', callId: 'c', output: [] };
    const thoughts = Array.from({ length: 1_000 }, thought);
    const request = { items: [call, ...thoughts, output] };
    const body = openaiChatAdapter.encode(
      createCall({ request, provider: { quirks: { reasoningReplay } } }),
    ).body;
    assert.match(JSON.stringify(body), new RegExp(`"${reasoningReplay}"`));
    assert.ok(reads <= 20 * thoughts.length, `${reads} reads of thoughts`);
  });
}

test('a thought may have any number of parts', () => {
  const content = new Array(many).fill('a');
  const { request } = createCall({ request: { items: [{ kind: 'reasoning', content, summary: [] }] } });
  assert.ok(estimateInputTokens(request) > 0);
});
