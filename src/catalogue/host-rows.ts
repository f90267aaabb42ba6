import { foreignSamplers, logitMembers, ownMembers } from './chat-members.ts';
import type { ProviderRow } from './provider-row.ts';

/** Hosts of other makers' models, by chat completions. */
export const hostRows: readonly ProviderRow[] = [
  {
    slug: 'groq',
    name: 'Groq',
    adapter: 'openai-chat',
    baseUrl: 'https://api.groq.com/openai/v1',
    variable: 'GROQ_API_KEY',
    quirks: { maxTokensField: 'max_completion_tokens', omit: [...foreignSamplers, ...logitMembers] },
    priceSource: 'groq',
  },
  {
    slug: 'together',
    name: 'Together AI',
    adapter: 'openai-chat',
    baseUrl: 'https://api.together.xyz/v1',
    variable: 'TOGETHER_API_KEY',
    quirks: { omit: [...ownMembers] },
    priceSource: 'together',
  },
  {
    slug: 'fireworks',
    name: 'Fireworks AI',
    adapter: 'openai-chat',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    variable: 'FIREWORKS_API_KEY',
    // Refuses unstreamed calls that may become longer than 4096 tokens.
    quirks: { reasoningReplay: 'reasoning_content', alwaysStream: true },
    retainsPrompts: false,
    trainsOnPrompts: false,
    priceSource: 'fireworks',
  },
  {
    slug: 'cerebras',
    name: 'Cerebras',
    adapter: 'openai-chat',
    baseUrl: 'https://api.cerebras.ai/v1',
    variable: 'CEREBRAS_API_KEY',
    quirks: { maxTokensField: 'max_completion_tokens', omit: [...foreignSamplers] },
    priceSource: 'cerebras',
  },
  {
    slug: 'ollama',
    name: 'Ollama',
    adapter: 'openai-chat',
    variable: 'OLLAMA_HOST',
    variableIsAddress: true,
    retainsPrompts: false,
    trainsOnPrompts: false,
  },
];
