import type { ProviderRow } from './provider-row.ts';

/** Providers with a dialect of their own. */
export const cloudRows: readonly ProviderRow[] = [
  {
    slug: 'openai',
    name: 'OpenAI',
    adapter: 'openai-responses',
    baseUrl: 'https://api.openai.com/v1',
    variable: 'OPENAI_API_KEY',
    trainsOnPrompts: false,
    priceSource: 'openai',
    author: 'openai',
    notServed: /^(ada|babbage|curie|davinci|text-|computer-use|gpt-oss|gpt-3\.5-turbo-instruct|gpt-4-vision)/,
  },
  {
    slug: 'anthropic',
    name: 'Anthropic',
    adapter: 'anthropic-messages',
    baseUrl: 'https://api.anthropic.com/v1',
    variable: 'ANTHROPIC_API_KEY',
    trainsOnPrompts: false,
    priceSource: 'anthropic',
    author: 'anthropic',
    notServed: /^claude-(v1|2)/,
  },
  {
    slug: 'google',
    name: 'Google Gemini',
    adapter: 'openai-chat',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    variable: 'GEMINI_API_KEY',
    quirks: {
      omit: [
        'top_k',
        'min_p',
        'top_a',
        'repetition_penalty',
        'user',
        'prompt_cache_key',
        'service_tier',
        'verbosity',
        'logit_bias',
        'logprobs',
        'top_logprobs',
      ],
    },
    priceSource: 'google',
    author: 'google',
    notServed: /^(?!gemini-[2-9]|gemma-[3-9])|-maas$/,
  },
];
