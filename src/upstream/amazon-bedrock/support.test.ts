import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCall } from '../../../test/fake-upstream/upstream-call.ts';
import { amazonBedrockAdapter } from './amazon-bedrock-adapter.ts';

function support(model?: string, quirks: Record<string, unknown> = {}) {
  return amazonBedrockAdapter.support(createCall({ provider: { quirks } }).endpoint.provider, model);
}

test('how an answer is made to fit a schema depends on the model', () => {
  const schema = (model?: string, quirks = {}) => support(model, quirks)['text.json_schema'];
  assert.equal(schema('eu.anthropic.claude-sonnet-4-5-20250929-v1:0'), 'native');
  assert.equal(schema('openai.gpt-oss-120b-1:0'), 'native');
  assert.deepEqual(schema('anthropic.claude-3-haiku-20240307-v1:0'), { emulated: 'forced-tool' });
  assert.deepEqual(schema('amazon.nova-pro-v1:0'), { emulated: 'forced-tool' });
  assert.deepEqual(schema('ai21.jamba-1-5-large-v1:0'), { emulated: 'instructed' });
  assert.deepEqual(schema('openai.gpt-oss-120b-1:0', { structuredOutput: 'instructed' }), {
    emulated: 'instructed',
  });
});

test('what only some models have is left out for the others', () => {
  const llama = support('meta.llama4-scout-17b-instruct-v1:0');
  for (const feature of ['cache_control', 'reasoning.effort'] as const) {
    assert.ok(typeof llama[feature] === 'object' && 'dropped' in llama[feature]);
    assert.ok(typeof support()[feature] === 'object' && 'adapted' in Object(support()[feature]));
  }
});
