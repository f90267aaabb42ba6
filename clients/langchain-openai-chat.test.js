import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { useGateway } from './support/gateway.js';
import { testLangchain } from './support/langchain.js';

const gateway = useGateway();

testLangchain(
  (name, settings = {}) =>
    new ChatOpenAI({
      model: name,
      apiKey: gateway.apiKey,
      configuration: { baseURL: gateway.baseURL },
      maxRetries: 0,
      ...settings,
    }),
);

test('vectors of several texts', async () => {
  const embeddings = new OpenAIEmbeddings({
    model: 'sandbox/embed',
    apiKey: gateway.apiKey,
    configuration: { baseURL: gateway.baseURL },
  });
  const [one, other] = await embeddings.embedDocuments(['one', 'two']);
  assert.ok(one.length > 0 && one.length === other.length);
});
