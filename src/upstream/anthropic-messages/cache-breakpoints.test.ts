import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentBody } from '../../../test/support/adapter-harness.ts';
import type { CanonicalChat, TextPart } from '../../core/request.ts';
import { anthropicMessagesAdapter as adapter } from './anthropic-messages-adapter.ts';

function marked(count: number): TextPart[] {
  return Array.from({ length: count }, (_, index) => ({
    kind: 'text',
    text: `part ${index}`,
    cacheControl: { ttl: '5m' },
  }));
}

function markedTexts(request: Partial<CanonicalChat>): string[] {
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
  const plain = { kind: 'message', role: 'user', content: [{ kind: 'text', text: 'Hello' }] } as const;
  const withOwn = { items: [...items, plain], cacheControl: { ttl: '5m' } } as const;
  assert.deepEqual(markedTexts(withOwn), ['part 0', 'part 1', 'part 2']);
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

/** The lives of all marks in the order the provider reads them, the one at the top last. */
function lives(request: Partial<CanonicalChat>): readonly unknown[] {
  const body = sentBody(adapter, { request });
  const { cache_control, system = [], messages } = body as Record<string, readonly { content?: object[] }[]>;
  const blocks = [...(system ?? []), ...(messages ?? []).flatMap(({ content = [] }) => content)];
  const marks = [...blocks, { cache_control }] as { cache_control?: { ttl: string } }[];
  return marks.flatMap((block) => block.cache_control?.ttl ?? []);
}

function said(role: 'system' | 'user', ...ttls: ('5m' | '1h')[]): CanonicalChat['items'][number] {
  const content = ttls.map((ttl) => ({ kind: 'text', text: ttl, cacheControl: { ttl } }) as const);
  return { kind: 'message', role, content };
}

test('what is kept for an hour keeps its beginnings as long, for a long life may not follow a short one', () => {
  assert.deepEqual(lives({ items: [said('system', '5m'), said('user', '1h', '5m')] }), ['1h', '1h', '5m']);
  const plain = { kind: 'message', role: 'user', content: [{ kind: 'text', text: 'Hello' }] } as const;
  const items = [said('system', '5m'), plain];
  assert.deepEqual(lives({ items, cacheControl: { ttl: '1h' } }), ['1h', '1h']);
  assert.deepEqual(lives({ items: [said('system', '1h'), plain], cacheControl: { ttl: '5m' } }), [
    '1h',
    '5m',
  ]);
  const surplus = [said('system', '1h'), said('user', '5m', '5m', '5m', '5m')];
  assert.deepEqual(lives({ items: surplus }), ['5m', '5m', '5m', '5m']);
});

test('a marked end is not marked again by the request’s own breakpoint', () => {
  const request = { items: [said('user', '5m')], cacheControl: { ttl: '1h' } } as const;
  assert.deepEqual(lives(request), ['5m']);
  const four = { items: [said('user', '5m', '5m', '5m', '5m')], cacheControl: { ttl: '5m' } } as const;
  assert.deepEqual(lives(four), ['5m', '5m', '5m', '5m']);
});
