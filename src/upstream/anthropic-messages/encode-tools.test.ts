import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentBody } from '../../../test/support/adapter-harness.ts';
import type { CanonicalRequest, Tool, ToolChoice } from '../../core/request.ts';
import { anthropicMessagesAdapter as adapter } from './anthropic-messages-adapter.ts';

const weather: Tool = { kind: 'function', name: 'get_weather' };
const patch: Tool = { kind: 'custom', name: 'patch' };

function sentTools(request: Partial<CanonicalRequest>, ...supported: string[]) {
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
  const request = { tools: [{ ...weather, strict: true }] };
  const schema = { type: 'object', properties: {} };
  assert.deepEqual(sentTools(request, 'tools', 'structured_outputs').tools, [
    { name: 'get_weather', input_schema: schema, strict: true },
  ]);
  assert.deepEqual(sentTools(request, 'tools').tools, [{ name: 'get_weather', input_schema: schema }]);
});

test('a custom tool is played by a tool with one string', () => {
  const grammar = { syntax: 'regex', definition: '[a-z]+' } as const;
  const { tools } = sentTools({ tools: [patch, { ...patch, description: 'd', grammar }] });
  const schema = (description: string) => ({
    type: 'object',
    properties: { input: { type: 'string', description } },
    required: ['input'],
    additionalProperties: false,
  });
  assert.deepEqual(tools, [
    { name: 'patch', input_schema: schema('The whole input of the tool, as plain text.') },
    {
      name: 'patch',
      description: 'd',
      input_schema: schema('The whole input of the tool. It must match this regex grammar:\n[a-z]+'),
    },
  ]);
});

test('every tool choice has its form', () => {
  const choices: readonly (readonly [ToolChoice, object])[] = [
    [{ kind: 'auto' }, { type: 'auto' }],
    [{ kind: 'none' }, { type: 'none' }],
    [{ kind: 'required' }, { type: 'any' }],
    [
      { kind: 'tool', form: 'custom', name: 'patch' },
      { type: 'tool', name: 'patch' },
    ],
    [{ kind: 'allowed', mode: 'auto', names: ['patch'] }, { type: 'auto' }],
    [{ kind: 'allowed', mode: 'required', names: ['patch'] }, { type: 'any' }],
  ];
  for (const [toolChoice, sent] of choices) {
    const request: Partial<CanonicalRequest> = { tools: [weather, patch], toolChoice };
    assert.deepEqual(sentTools(request).tool_choice, sent);
    const oneAtMost = toolChoice.kind === 'none' ? {} : { disable_parallel_tool_use: true };
    assert.deepEqual(sentTools({ ...request, parallelToolCalls: false }).tool_choice, {
      ...sent,
      ...oneAtMost,
    });
  }
});

test('only allowed tools are shown', () => {
  const toolChoice = { kind: 'allowed', mode: 'auto', names: ['get_weather'] } as const;
  assert.deepEqual(sentTools({ tools: [weather, patch], toolChoice }).tools, [
    { name: 'get_weather', input_schema: { type: 'object', properties: {} } },
  ]);
});

test('a model that thinks is not forced to call', () => {
  const thinking = { reasoning: { maxTokens: 1024 }, tools: [weather] };
  const sent = (toolChoice: ToolChoice) => sentTools({ ...thinking, toolChoice }).tool_choice;
  assert.deepEqual(sent({ kind: 'required' }), { type: 'auto' });
  assert.deepEqual(sent({ kind: 'tool', form: 'function', name: 'get_weather' }), { type: 'auto' });
  assert.deepEqual(sent({ kind: 'none' }), { type: 'none' });
});
