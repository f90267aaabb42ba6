import { createOpenResponses } from '@ai-sdk/open-responses';
import { testAiSdk } from './support/ai-sdk.js';
import { useGateway } from './support/gateway.js';

const gateway = useGateway();
const model = (name) =>
  createOpenResponses({ name: 'headgate', url: `${gateway.baseURL}/responses`, apiKey: gateway.apiKey })(
    name,
  );

testAiSdk(model, {}, { readsRefusals: false });
