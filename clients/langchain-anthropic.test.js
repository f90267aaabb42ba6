import { ChatAnthropic } from '@langchain/anthropic';
import { useGateway } from './support/gateway.js';
import { testLangchain } from './support/langchain.js';

const gateway = useGateway();

testLangchain(
  (name) =>
    new ChatAnthropic({
      model: name,
      apiKey: gateway.apiKey,
      anthropicApiUrl: gateway.baseURL.replace('/v1', ''),
      maxTokens: 1_000,
      maxRetries: 0,
    }),
);
