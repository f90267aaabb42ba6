import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentBody } from '../../../test/support/adapter-harness.ts';
import type { CanonicalChat, Tool, ToolChoice } from '../../core/request.ts';
import { anthropicMessagesAdapter as adapter } from './anthropic-messages-adapter.ts';

const weather: Tool = { kind: 'function', name: 'get_weather' };
const patch: Tool = { kind: 'function', name: 'patch' };

function sentTools(request: Partial<CanonicalChat>, ...supported: string[]) {
  const endpoint = supported.length > 0 ? { supportedParameters: new Set(supported) } : {};
  const { tools, tool_choice } = sentBody(adapter, { request, endpoint });
  return { tools, tool_choice };
}

test('functions have a schema, which is empty when they state none', () => {
  const parameters = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
  const { tools } = sentTools({
    tools: [weather, { kind: 'function', name: 'f', description: 'd', parameters, strict: true }],
  });
  assert.deepEqual(tools, [
    { name: 'get_weather', input_schema: { type: 'object', properties: {} } },
    { name: 'f', description: 'd', input_schema: parameters },
  ]);
});

test('strictness is asked only of endpoints known to have it', () => {
  const parameters = { type: 'object', properties: { days: { type: 'integer', maximum: 7 } } };
  const request = { tools: [{ ...weather, parameters, strict: true }] };
  // Limits that cannot be enforced are described, and objects are closed, as the provider requires for strict
  // functions.
  const held = {
    type: 'object',
    properties: { days: { type: 'integer', description: '{maximum: 7}' } },
    additionalProperties: false,
  };
  assert.deepEqual(sentTools(request, 'tools', 'structured_outputs').tools, [
    { name: 'get_weather', input_schema: held, strict: true },
  ]);
  assert.deepEqual(sentTools(request, 'tools').tools, [{ name: 'get_weather', input_schema: parameters }]);
});

test('every tool choice has its form', () => {
  const choices: readonly (readonly [ToolChoice, object])[] = [
    [{ kind: 'auto' }, { type: 'auto' }],
    [{ kind: 'none' }, { type: 'none' }],
    [{ kind: 'required' }, { type: 'any' }],
    [
      { kind: 'tool', form: 'function', name: 'patch' },
      { type: 'tool', name: 'patch' },
    ],
    [
      { kind: 'hosted', tool: 'web_search', type: 'web_search_preview' },
      { type: 'tool', name: 'web_search' },
    ],
    [{ kind: 'allowed', mode: 'auto', names: ['patch'] }, { type: 'auto' }],
    [{ kind: 'allowed', mode: 'required', names: ['patch'] }, { type: 'any' }],
  ];
  for (const [toolChoice, sent] of choices) {
    const request: Partial<CanonicalChat> = { tools: [weather, patch], toolChoice };
    assert.deepEqual(sentTools(request).tool_choice, sent);
    const atMostOneCall = toolChoice.kind === 'none' ? {} : { disable_parallel_tool_use: true };
    assert.deepEqual(sentTools({ ...request, parallelToolCalls: false }).tool_choice, {
      ...sent,
      ...atMostOneCall,
    });
  }
});

test('a model that thinks is not forced to call', () => {
  const thinking = { reasoning: { maxTokens: 1024 }, tools: [weather] };
  const sent = (toolChoice: ToolChoice) => sentTools({ ...thinking, toolChoice }).tool_choice;
  assert.deepEqual(sent({ kind: 'required' }), { type: 'auto' });
  assert.deepEqual(sent({ kind: 'tool', form: 'function', name: 'get_weather' }), { type: 'auto' });
  assert.deepEqual(sent({ kind: 'none' }), { type: 'none' });
});

test('a model that cannot be forced to call is left free', () => {
  const choice = (upstreamModel: string, toolChoice: ToolChoice) =>
    sentBody(adapter, { request: { tools: [weather], toolChoice }, endpoint: { upstreamModel } }).tool_choice;
  const required: ToolChoice = { kind: 'required' };
  assert.deepEqual(choice('claude-opus-5-5', required), { type: 'auto' });
  assert.deepEqual(choice('claude-sonnet-5-5', { kind: 'tool', form: 'function', name: 'get_weather' }), {
    type: 'auto',
  });
  assert.deepEqual(choice('claude-fable-5-1', { kind: 'none' }), { type: 'none' });
  assert.deepEqual(choice('claude-opus-5', required), { type: 'any' });
});
