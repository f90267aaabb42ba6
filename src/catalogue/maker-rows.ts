import { foreignSamplers, logitMembers, ownMembers } from './chat-members.ts';
import type { ProviderRow } from './provider-row.ts';

/** Makers of models that serve them by chat completions. */
export const makerRows: readonly ProviderRow[] = [
  {
    slug: 'mistral',
    name: 'Mistral',
    adapter: 'openai-chat',
    baseUrl: 'https://api.mistral.ai/v1',
    variable: 'MISTRAL_API_KEY',
    quirks: { streamOptions: false, omit: [...foreignSamplers, ...ownMembers, ...logitMembers, 'seed'] },
    priceSource: 'mistral',
    author: 'mistralai',
  },
  {
    slug: 'deepseek',
    name: 'DeepSeek',
    adapter: 'openai-chat',
    baseUrl: 'https://api.deepseek.com/v1',
    variable: 'DEEPSEEK_API_KEY',
    quirks: { reasoningReplay: 'reasoning_content', omit: [...foreignSamplers, ...ownMembers] },
    priceSource: 'deepseek',
    author: 'deepseek',
  },
  {
    slug: 'xai',
    name: 'xAI',
    adapter: 'openai-chat',
    baseUrl: 'https://api.x.ai/v1',
    variable: 'XAI_API_KEY',
    quirks: { maxTokensField: 'max_completion_tokens', omit: [...foreignSamplers] },
    priceSource: 'x-ai',
    author: 'x-ai',
  },
  {
    slug: 'perplexity',
    name: 'Perplexity',
    adapter: 'openai-chat',
    baseUrl: 'https://api.perplexity.ai',
    variable: 'PERPLEXITY_API_KEY',
    quirks: { omit: [...ownMembers, ...logitMembers] },
    priceSource: 'perplexity',
    author: 'perplexity',
    notServed: /^(?!sonar)/,
  },
  {
    slug: 'cohere',
    name: 'Cohere',
    adapter: 'openai-chat',
    baseUrl: 'https://api.cohere.ai/compatibility/v1',
    variable: 'COHERE_API_KEY',
    quirks: { streamOptions: false, omit: [...foreignSamplers, ...ownMembers, ...logitMembers] },
    priceSource: 'cohere',
    author: 'cohere',
  },
];
