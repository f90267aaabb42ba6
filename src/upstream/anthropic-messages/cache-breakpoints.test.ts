import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentBody } from '../../../test/support/adapter-harness.ts';
import type { CanonicalRequest, TextPart } from '../../core/request.ts';
import { anthropicMessagesAdapter as adapter } from './anthropic-messages-adapter.ts';

function marked(count: number): TextPart[] {
  return Array.from({ length: count }, (_, index) => ({
    kind: 'text',
    text: `part ${index}`,
    cacheControl: { ttl: '5m' },
  }));
}

function markedTexts(request: Partial<CanonicalRequest>): string[] {
  const { system = [], messages } = sentBody(adapter, { request }) as {
    system?: readonly { text: string; cache_control?: object }[];
    messages: readonly { content: readonly { text: string; cache_control?: object }[] }[];
  };
  const blocks = [...system, ...messages.flatMap(({ content }) => content)];
  return blocks.filter((block) => block.cache_control).map(({ text }) => text);
}

test('of too many breakpoints the last four count, the system’s among them', () => {
  const items = [
    { kind: 'message', role: 'system', content: marked(2) },
    { kind: 'message', role: 'user', content: marked(3) },
  ] as const;
  assert.deepEqual(markedTexts({ items }), ['part 1', 'part 0', 'part 1', 'part 2']);
  assert.deepEqual(markedTexts({ items, cacheControl: { ttl: '5m' } }), ['part 0', 'part 1', 'part 2']);
});

test('a breakpoint inside a result ends with the result', () => {
  const body = sentBody(adapter, {
    request: {
      items: [
        { kind: 'call', form: 'function', callId: 'c', name: 'f', input: '{}' },
        { kind: 'call_output', form: 'function', callId: 'c', output: marked(1) },
      ],
    },
  });
  assert.match(
    JSON.stringify(body.messages),
    /"tool_use_id":"c","content":\[\{"type":"text","text":"part 0"\}\],"cache_control":/,
  );
});
