import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replayBody } from './show.ts';

test('a body that is routed alike has the models, preferences and kinds of tools, and no more', () => {
  assert.deepEqual(replayBody({ models: ['acme/a'], provider: {}, tools: [] }), { model: 'acme/a' });
  assert.deepEqual(
    replayBody({
      models: ['acme/a', 'acme/b'],
      provider: { zdr: true },
      tools: ['function', 'web_search', 'function'],
      maxOutputTokens: 9,
      effort: 'low',
      format: 'json_object',
    }),
    {
      models: ['acme/a', 'acme/b'],
      provider: { zdr: true },
      tools: [
        { type: 'function', name: 'example_1', parameters: { type: 'object', properties: {} } },
        { type: 'web_search' },
        { type: 'function', name: 'example_3', parameters: { type: 'object', properties: {} } },
      ],
      max_output_tokens: 9,
      reasoning: { effort: 'low' },
      text: { format: { type: 'json_object' } },
    },
  );
});
