import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCall } from '../../test/fake-upstream/upstream-call.ts';
import type { CanonicalChat } from '../core/request.ts';
import { featuresUsed } from './features-used.ts';

const used = (request: Partial<CanonicalChat>) =>
  Object.fromEntries(featuresUsed(createCall({ request }).request));

test('a plain request uses nothing but functions', () => {
  assert.deepEqual(used({}), {});
  assert.deepEqual(
    used({
      instructions: 'Be kind.',
      tools: [{ kind: 'function', name: 'f', parameters: { type: 'object' }, strict: false }],
      items: [
        { kind: 'message', role: 'user', content: [{ kind: 'text', text: 'Hi' }] },
        { kind: 'reasoning', summary: [], content: [] },
        { kind: 'call', form: 'function', callId: 'c', name: 'f', input: '{}' },
        { kind: 'call_output', form: 'function', callId: 'c', output: [{ kind: 'text', text: 'ok' }] },
      ],
      maxOutputTokens: 10,
      parallelToolCalls: true,
    }),
    { 'tool.function': 'tools[0]' },
  );
});

test('settings are found under their public names', () => {
  assert.deepEqual(
    used({
      format: { kind: 'json_schema', name: 'n', schema: {} },
      verbosity: 'low',
      outputModalities: ['text', 'image'],
      imageConfig: {},
      serviceTier: 'auto',
      promptCacheKey: 'k',
      cacheControl: { ttl: '5m' },
      promptCacheOptions: { mode: 'explicit' },
      truncation: 'auto',
      prompt: { id: 'p' },
      endUser: 'u',
      sampling: { temperature: 0, presencePenalty: 1, stop: ['x'], topLogprobs: 0 },
      reasoning: { effort: 'low', maxTokens: 2000, summary: 'auto', context: 'auto', mode: 'pro' },
    }),
    {
      'text.json_schema': 'text.format',
      'text.verbosity': 'text.verbosity',
      'modalities.image': 'modalities',
      image_config: 'image_config',
      service_tier: 'service_tier',
      prompt_cache_key: 'prompt_cache_key',
      cache_control: 'cache_control',
      prompt_cache_options: 'prompt_cache_options',
      'truncation.auto': 'truncation',
      prompt: 'prompt',
      end_user: 'user',
      'sampling.temperature': 'temperature',
      'sampling.penalties': 'presence_penalty',
      'sampling.stop': 'stop',
      'sampling.logprobs': 'top_logprobs',
      'reasoning.effort': 'reasoning.effort',
      'reasoning.max_tokens': 'reasoning.max_tokens',
      'reasoning.summary': 'reasoning.summary',
      'reasoning.context': 'reasoning.context',
      'reasoning.mode': 'reasoning.mode',
    },
  );
});

test('tools and the choice among them are found with their places, inside namespaces and items too', () => {
  assert.deepEqual(
    used({
      tools: [
        { kind: 'function', name: 'f', strict: true, async: true },
        { kind: 'namespace', name: 'n', description: '', tools: [{ kind: 'custom', name: 'c' }] },
        { kind: 'hosted', tool: 'mcp', type: 'mcp', settings: {} },
      ],
      items: [
        {
          kind: 'additional_tools',
          tools: [{ kind: 'custom', name: 'g', grammar: { syntax: 'regex', definition: 'a' } }],
        },
      ],
      toolChoice: { kind: 'allowed', mode: 'auto', names: ['f'] },
      parallelToolCalls: false,
    }),
    {
      'tool.function': 'tools[0]',
      'tool.function.strict': 'tools[0].strict',
      'tool.function.async': 'tools[0].async',
      'tool.namespace': 'tools[1]',
      'tool.custom': 'tools[1].tools[0]',
      'tool.mcp': 'tools[2]',
      'item.additional_tools': 'input[0]',
      'tool.custom.grammar': 'input[0].tools[0].format',
      'tool_choice.allowed': 'tool_choice',
      parallel_tool_calls: 'parallel_tool_calls',
    },
  );
  assert.deepEqual(
    used({ toolChoice: { kind: 'none' }, parallelToolCalls: false }),
    {},
    'nothing to choose from',
  );
});

test('items and parts are found with their places', () => {
  assert.deepEqual(
    used({
      items: [
        {
          kind: 'message',
          role: 'user',
          content: [
            { kind: 'image', url: 'https://example.com/a.png', detail: 'auto' },
            { kind: 'image', url: 'DATA:image/png;base64,AA', detail: 'auto' },
            { kind: 'image', fileId: 'file_1', detail: 'auto' },
            { kind: 'file', data: 'JVBERi0' },
            { kind: 'file', url: 'https://example.com/a.pdf' },
            { kind: 'file', fileId: 'file_1' },
            { kind: 'audio', data: 'AA', format: 'wav' },
            { kind: 'video', url: 'https://example.com/a.mp4' },
            { kind: 'video', url: 'data:video/mp4;base64,AA' },
            { kind: 'text', text: 'x', cacheControl: { ttl: '1h' } },
          ],
        },
        { kind: 'message', role: 'assistant', content: [], phase: 'commentary' },
        { kind: 'reasoning', summary: [], content: [], signature: 's' },
        { kind: 'hosted', type: 'web_search_call', fields: {} },
        { kind: 'hosted', type: 'shell_call', fields: {} },
        { kind: 'service', type: 'service:datetime', fields: {} },
        { kind: 'agent_message', author: 'a', recipient: 'b', content: [] },
        { kind: 'configuration_update', effort: 'low' },
        { kind: 'compaction', type: 'compaction', encrypted: 'x' },
        {
          kind: 'call_output',
          form: 'custom',
          callId: 'c',
          output: [{ kind: 'image', fileId: 'file_1', detail: 'auto' }],
        },
      ],
    }),
    {
      'input.image.url': 'input[0].content[0]',
      'input.image.data': 'input[0].content[1]',
      'input.image.file': 'input[0].content[2]',
      'input.file.data': 'input[0].content[3]',
      'input.file.url': 'input[0].content[4]',
      'input.file.id': 'input[0].content[5]',
      'input.audio': 'input[0].content[6]',
      'input.video.url': 'input[0].content[7]',
      'input.video.data': 'input[0].content[8]',
      cache_control: 'input[0].content[9]',
      'item.phase': 'input[1].phase',
      'item.reasoning.sealed': 'input[2]',
      'item.hosted': 'input[3]',
      'tool.shell': 'input[4]',
      'item.service': 'input[5]',
      'item.agent_message': 'input[6]',
      'reasoning.effort': 'input[7].reasoning.effort',
      'item.configuration_update': 'input[7]',
      'item.compaction': 'input[8]',
      'tool.custom': 'input[9]',
      'input.tool_output.media': 'input[9].output',
    },
  );
});
