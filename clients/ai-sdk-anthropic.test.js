import { createAnthropic } from '@ai-sdk/anthropic';
import { testAiSdk, testBrokenStream } from './support/ai-sdk.js';
import { useGateway } from './support/gateway.js';

// It warns that it does not know the output limits of these models.
globalThis.AI_SDK_LOG_WARNINGS = false;
const gateway = useGateway();
const model = (name) => createAnthropic(gateway)(name);

// Of a model it does not know, the library asks for an object as a call of a tool of its own.
testAiSdk(model, {}, { shaping: 'sandbox/tools', showsThoughts: true });
testBrokenStream(model);
