import type { adapterNames } from './vocabulary.ts';

/** What is known of a provider before anyone configures it. Adding a look-alike provider is adding a row. */
export interface ProviderRow {
  readonly slug: string;
  readonly name: string;
  readonly adapter: (typeof adapterNames)[number];
  readonly baseUrl?: string;
  /** The variable whose presence enables the provider; undefined when it needs none. */
  readonly variable?: string;
  /** Set when the variable holds the provider's address instead of a credential. */
  readonly variableIsAddress?: boolean;
  readonly quirks?: Readonly<Record<string, unknown>>;
  /** Undeclared policies count as retaining and training (routing.md 1.3). */
  readonly retainsPrompts?: boolean;
  readonly trainsOnPrompts?: boolean;
  /** The provider's name in the package of prices. */
  readonly priceSource?: string;
  /** The author of models whose name does not tell one. */
  readonly author?: string;
  /** Rows of the price package that this interface does not serve. */
  readonly notServed?: RegExp;
}

/** Samplers that OpenAI's own interface never had. */
const foreignSamplers = ['top_k', 'min_p', 'top_a', 'repetition_penalty'] as const;
/** Members of OpenAI's own service. */
const ownMembers = ['user', 'prompt_cache_key', 'service_tier', 'verbosity'] as const;
const logitMembers = ['logit_bias', 'logprobs', 'top_logprobs'] as const;

/** Every provider that works with a credential alone (operations.md 3). */
export const providerRows: readonly ProviderRow[] = [
  { slug: 'sandbox', name: 'Sandbox', adapter: 'sandbox', retainsPrompts: false, trainsOnPrompts: false },
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
    quirks: { omit: [...foreignSamplers, ...ownMembers, ...logitMembers] },
    priceSource: 'google',
    author: 'google',
    notServed: /^(?!gemini-[2-9]|gemma-[3-9])|-maas$/,
  },
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
    quirks: { reasoningField: 'reasoning_content', omit: [...foreignSamplers, ...ownMembers] },
    priceSource: 'deepseek',
    author: 'deepseek',
  },
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
    slug: 'xai',
    name: 'xAI',
    adapter: 'openai-chat',
    baseUrl: 'https://api.x.ai/v1',
    variable: 'XAI_API_KEY',
    quirks: { maxTokensField: 'max_completion_tokens', omit: foreignSamplers },
    priceSource: 'x-ai',
    author: 'x-ai',
  },
  {
    slug: 'together',
    name: 'Together AI',
    adapter: 'openai-chat',
    baseUrl: 'https://api.together.xyz/v1',
    variable: 'TOGETHER_API_KEY',
    quirks: { omit: ownMembers },
    priceSource: 'together',
  },
  {
    slug: 'fireworks',
    name: 'Fireworks AI',
    adapter: 'openai-chat',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    variable: 'FIREWORKS_API_KEY',
    // Refuses unstreamed calls that may become longer than 4096 tokens.
    quirks: { reasoningField: 'reasoning_content', alwaysStream: true },
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
    quirks: { maxTokensField: 'max_completion_tokens', omit: foreignSamplers },
    priceSource: 'cerebras',
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

/** The row of a slug, or undefined when the provider is not built in. */
export function findProviderRow(slug: string): ProviderRow | undefined {
  return providerRows.find((row) => row.slug === slug);
}
