import { ChatOpenAI } from '@langchain/openai';
import { useGateway } from './support/gateway.js';
import { testLangchain } from './support/langchain.js';

const gateway = useGateway();
const model = (name, settings = {}) =>
  new ChatOpenAI({
    model: name,
    apiKey: gateway.apiKey,
    configuration: { baseURL: gateway.baseURL },
    useResponsesApi: true,
    zdrEnabled: true,
    maxRetries: 0,
    ...settings,
  });

testLangchain(model, { reasoning: { effort: 'low' } });
