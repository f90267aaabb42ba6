import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { embedMany } from 'ai';
import { testAiSdk, testBrokenStream } from './support/ai-sdk.js';
import { useGateway } from './support/gateway.js';

const gateway = useGateway();
const provider = () =>
  createOpenAICompatible({
    name: 'headgate',
    ...gateway,
    includeUsage: true,
    supportsStructuredOutputs: true,
  });
const model = (name) => provider()(name);

testAiSdk(model, {}, { showsThoughts: true });
testBrokenStream(model);

test('vectors of several texts', async () => {
  const { embeddings } = await embedMany({
    model: provider().embeddingModel('sandbox/embed'),
    values: ['one', 'two'],
  });
  assert.equal(embeddings.length, 2);
  assert.ok(embeddings[0].length > 0 && embeddings[0].length === embeddings[1].length);
});
