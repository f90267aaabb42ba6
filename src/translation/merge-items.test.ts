import assert from 'node:assert/strict';
import { test } from 'node:test';
import { altered, translated } from '../../test/support/translating.ts';

test('tools that items add are offered from the beginning, the last of one name', () => {
  const translation = translated({
    support: { 'item.additional_tools': { emulated: 'merged' } },
    request: {
      tools: [
        { kind: 'function', name: 'a', description: 'old' },
        { kind: 'function', name: 'b' },
      ],
      items: [
        { kind: 'message', role: 'user', content: [{ kind: 'text', text: 'Hi' }] },
        {
          kind: 'additional_tools',
          tools: [
            { kind: 'function', name: 'a', description: 'new' },
            { kind: 'hosted', tool: 'mcp', type: 'mcp', settings: { server_label: 'x' } },
            { kind: 'hosted', tool: 'mcp', type: 'mcp', settings: { server_label: 'y' } },
          ],
          others: [{ type: 'teleport' }],
        },
      ],
    },
  });
  assert.deepEqual(
    translation.request.tools.map((tool) =>
      tool.kind === 'function' ? [tool.name, tool.description] : tool.kind,
    ),
    [['a', 'new'], ['b', undefined], 'hosted', 'hosted'],
  );
  assert.equal(translation.request.items.length, 1);
  assert.match(translation.alterations[0]?.how ?? '', /unknown kinds are left out/);
});

test('the last effort of the conversation holds for all of it', () => {
  const translation = translated({
    support: { 'item.configuration_update': { emulated: 'merged' } },
    request: {
      reasoning: { summary: 'auto', effort: 'high' },
      items: [
        { kind: 'configuration_update', effort: 'medium' },
        { kind: 'message', role: 'user', content: [{ kind: 'text', text: 'Hi' }] },
        { kind: 'configuration_update', effort: 'low' },
      ],
    },
  });
  assert.deepEqual(translation.request.reasoning, { summary: 'auto', effort: 'low' });
  assert.equal(translation.request.items.length, 1);
  assert.deepEqual(altered(translation), ['input[0] emulated']);
});

test('a budget stated before the last effort holds no longer', () => {
  const translation = translated({
    support: { 'item.configuration_update': { emulated: 'merged' } },
    request: {
      reasoning: { effort: 'high', maxTokens: 2000 },
      items: [
        { kind: 'configuration_update', effort: 'none' },
        { kind: 'message', role: 'user', content: [{ kind: 'text', text: 'Hi' }] },
      ],
    },
  });
  assert.deepEqual(translation.request.reasoning, { effort: 'none' });
});

test('what agents said becomes messages, without what only its maker can read', () => {
  const translation = translated({
    support: { 'item.agent_message': { emulated: 'as-message' } },
    request: {
      items: [
        {
          kind: 'agent_message',
          author: 'planner',
          recipient: 'coder',
          content: [
            { kind: 'encrypted', encrypted: 'x' },
            { kind: 'text', text: 'Begin.' },
          ],
        },
        {
          kind: 'agent_message',
          author: 'a',
          recipient: 'b',
          content: [{ kind: 'encrypted', encrypted: 'x' }],
        },
      ],
    },
  });
  assert.deepEqual(translation.request.items, [
    {
      kind: 'message',
      role: 'user',
      content: [
        { kind: 'text', text: 'Message from agent planner to coder:' },
        { kind: 'text', text: 'Begin.' },
      ],
    },
  ]);
  assert.match(translation.alterations[0]?.how ?? '', /encrypted parts cannot be read/);
});
