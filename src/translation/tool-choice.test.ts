import assert from 'node:assert/strict';
import { test } from 'node:test';
import { altered, callOf, restored, translated } from '../../test/support/translating.ts';
import type { Delta } from '../core/delta.ts';
import type { Tool, ToolChoice } from '../core/request.ts';

const tools: Tool[] = [
  { kind: 'function', name: 'a' },
  { kind: 'function', name: 'b' },
  { kind: 'hosted', tool: 'shell', type: 'shell', settings: {} },
];
const filtered = {
  'tool_choice.allowed': { emulated: 'filtered' },
  'tool_choice.none': { emulated: 'filtered' },
  parallel_tool_calls: { emulated: 'filtered' },
} as const;
const translate = (toolChoice: ToolChoice) =>
  translated({ support: filtered, request: { tools, toolChoice } });
const finish: Delta = { kind: 'finish', reason: 'tool_calls' };
const shellCall: Delta = { kind: 'hosted', block: 3, type: 'shell_call', fields: {} };
const seen = (deltas: readonly Delta[]) =>
  deltas.map((delta) =>
    delta.kind === 'call' ? delta.name : delta.kind === 'hosted' ? delta.type : delta.kind,
  );

test('allowed tools are shown with the others, and calls of the others taken out', () => {
  const translation = translate({ kind: 'allowed', mode: 'auto', names: ['a'] });
  assert.deepEqual(translation.request.toolChoice, { kind: 'auto' });
  assert.equal(translation.request.tools.length, 3);
  assert.deepEqual(altered(translation), ['tool_choice emulated']);
  const deltas = [...callOf(1, 'a', '{}'), ...callOf(2, 'b', '{}'), shellCall, finish];
  assert.deepEqual(seen(restored(translation, deltas)), ['a', 'arguments', 'end', 'finish']);
});

test('where a call is required only the allowed tools are shown', () => {
  const { request } = translate({ kind: 'allowed', mode: 'required', names: ['b'], hosted: ['shell'] });
  assert.deepEqual(request.toolChoice, { kind: 'required' });
  assert.deepEqual(
    request.tools.map((tool) => ('name' in tool ? tool.name : tool.tool)),
    ['b', 'shell'],
  );
});

test('with no calls allowed no tools are shown, unless the conversation has calls', () => {
  const translation = translate({ kind: 'none' });
  assert.deepEqual(translation.request.tools, []);
  const deltas: Delta[] = [...callOf(1, 'a', '{}'), shellCall, finish];
  assert.deepEqual(restored(translation, deltas), [{ kind: 'finish', reason: 'stop' }]);
  const { request } = translated({
    support: filtered,
    request: {
      tools,
      toolChoice: { kind: 'none' },
      items: [{ kind: 'call', form: 'function', callId: 'c', name: 'a', input: '{}' }],
    },
  });
  assert.equal(request.tools.length, 3);
  assert.deepEqual(request.toolChoice, { kind: 'auto' });
});

test('with parallel calls off the first call stays, even where the provider knows the setting', () => {
  for (const support of [filtered, {}]) {
    const translation = translated({ support, request: { tools, parallelToolCalls: false } });
    assert.equal(translation.request.parallelToolCalls, support === filtered ? undefined : false);
    const deltas: Delta[] = [...callOf(1, 'b', '{}'), shellCall, ...callOf(2, 'a', '{}'), finish];
    assert.deepEqual(seen(restored(translation, deltas)), ['b', 'arguments', 'end', 'finish']);
  }
});

test('a choice the endpoint does not take becomes free', () => {
  const endpoint = { supportedParameters: new Set(['tools']) };
  const translation = translated({ endpoint, request: { tools, toolChoice: { kind: 'required' } } });
  assert.deepEqual(translation.request.toolChoice, { kind: 'auto' });
  assert.deepEqual(altered(translation), ['tool_choice dropped']);
});

test('an endpoint without tools gets none', () => {
  const declared = { endpoint: { supportedParameters: new Set(['temperature']) } };
  for (const changes of [declared, { support: { 'tool.function': { dropped: 'no tools' } } } as const]) {
    const translation = translated({ ...changes, request: { tools, toolChoice: { kind: 'required' } } });
    assert.deepEqual(translation.request.tools, []);
    assert.deepEqual(translation.request.toolChoice, { kind: 'auto' });
    assert.deepEqual(altered(translation), ['tools dropped']);
  }
});
