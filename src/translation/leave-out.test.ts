import assert from 'node:assert/strict';
import { test } from 'node:test';
import { altered, translated } from '../../test/support/translating.ts';
import type { Feature, Support } from '../core/features.ts';
import type { CanonicalChat, Item } from '../core/request.ts';

const leftOut: Support = { dropped: 'it has no word for it' };
const without = (features: readonly Feature[], request: Partial<CanonicalChat>) =>
  translated({ support: Object.fromEntries(features.map((feature) => [feature, leftOut])), request });

test('settings the dialect has no word for are left out and listed', () => {
  const translation = without(
    [
      'text.verbosity',
      'prompt_cache_key',
      'end_user',
      'sampling.top_k',
      'sampling.penalties',
      'truncation.auto',
    ],
    {
      verbosity: 'low',
      promptCacheKey: 'k',
      endUser: 'u',
      truncation: 'auto',
      sampling: { topK: 1, temperature: 0.5, presencePenalty: 1, frequencyPenalty: 1 },
    },
  );
  const { verbosity, promptCacheKey, endUser, truncation, sampling } = translation.request;
  assert.deepEqual(
    { verbosity, promptCacheKey, endUser, truncation, sampling },
    {
      verbosity: undefined,
      promptCacheKey: undefined,
      endUser: undefined,
      truncation: 'disabled',
      sampling: { temperature: 0.5 },
    },
  );
  assert.deepEqual(altered(translation), [
    'text.verbosity dropped',
    'prompt_cache_key dropped',
    'truncation dropped',
    'user dropped',
    'top_k dropped',
    'frequency_penalty dropped',
    'presence_penalty dropped',
  ]);
  assert.equal(translation.alterations[0]?.how, 'it has no word for it');
});

test('parameters the endpoint does not declare are left out and listed', () => {
  const sampling = { temperature: 0, seed: 1, presencePenalty: 1, frequencyPenalty: 1, topLogprobs: 2 };
  const declared = translated({
    endpoint: { supportedParameters: new Set(['temperature', 'presence_penalty', 'logprobs']) },
    request: { sampling, verbosity: 'low' },
  });
  assert.deepEqual(declared.request.sampling, { temperature: 0, presencePenalty: 1, topLogprobs: 2 });
  assert.deepEqual(altered(declared), [
    'text.verbosity dropped',
    'frequency_penalty dropped',
    'seed dropped',
  ]);
});

test('unsupported members of a tool are left out, and so are tools without any others', () => {
  const { request } = without(['tool.function.strict', 'tool.function.async', 'tool.web_search'], {
    tools: [
      { kind: 'function', name: 'f', strict: true, async: true },
      { kind: 'hosted', tool: 'web_search', type: 'web_search', settings: {} },
    ],
  });
  assert.deepEqual(request.tools, [{ kind: 'function', name: 'f' }]);
});

test('items and parts are left out; the text of sealed reasoning stays', () => {
  const items: Item[] = [
    {
      kind: 'message',
      role: 'user',
      content: [
        { kind: 'text', text: 'a', cacheControl: { ttl: '5m' } },
        { kind: 'audio', data: 'AA', format: 'mp3' },
      ],
    },
    { kind: 'message', role: 'user', content: [{ kind: 'audio', data: 'AA', format: 'mp3' }] },
    { kind: 'message', role: 'assistant', content: [{ kind: 'text', text: 'b' }], phase: 'commentary' },
    {
      kind: 'reasoning',
      summary: ['s'],
      content: [],
      encrypted: 'x',
      signature: 'y',
      format: 'xai-responses-v1',
    },
    { kind: 'reasoning', summary: [], content: [], encrypted: 'x' },
    { kind: 'compaction', type: 'compaction', encrypted: 'x' },
    {
      kind: 'call_output',
      form: 'function',
      callId: 'c',
      output: [
        { kind: 'text', text: 'c' },
        { kind: 'image', fileId: 'f', detail: 'auto' },
      ],
    },
  ];
  const features: Feature[] = [
    'input.audio',
    'cache_control',
    'item.phase',
    'item.reasoning.sealed',
    'item.compaction',
    'input.tool_output.media',
  ];
  assert.deepEqual(without(features, { items }).request.items, [
    { kind: 'message', role: 'user', content: [{ kind: 'text', text: 'a' }] },
    { kind: 'message', role: 'assistant', content: [{ kind: 'text', text: 'b' }] },
    { kind: 'reasoning', summary: ['s'], content: [] },
    { kind: 'call_output', form: 'function', callId: 'c', output: [{ kind: 'text', text: 'c' }] },
  ]);
});
