import { createOpenAI } from '@ai-sdk/openai';
import { testAiSdk } from './support/ai-sdk.js';
import { useGateway } from './support/gateway.js';

const gateway = useGateway();

// Nothing is stored here, so the library must send whole items instead of references.
testAiSdk((name) => createOpenAI(gateway).responses(name), { providerOptions: { openai: { store: false } } });
