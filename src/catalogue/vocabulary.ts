/** The adapters of this version: the values that `providers.*.adapter` may have. */
export const adapterNames = [
  'openai-responses',
  'openai-chat',
  'anthropic-messages',
  'amazon-bedrock',
  'azure-openai',
  'google-gemini',
  'google-vertex',
  'sandbox',
] as const;

/** Adapters whose providers list their models in a way that names each of them. */
export const discoverable: ReadonlySet<string> = new Set(['openai-chat', 'openai-responses']);

/** Adapters that read the address from the credential or the region, where none is configured. */
export const addressedByCredential: ReadonlySet<string> = new Set([
  'amazon-bedrock',
  'azure-openai',
  'google-vertex',
]);

/** What a model can read or write. */
export const modalityNames = ['text', 'image', 'file', 'audio', 'video', 'embeddings'] as const;

/** Families of tokenizers, in the contract's terms. */
export const tokenizerNames = [
  'Router',
  'Media',
  'Other',
  'GPT',
  'Claude',
  'Gemini',
  'Gemma',
  'Grok',
  'Cohere',
  'Nova',
  'Qwen',
  'Yi',
  'DeepSeek',
  'Mistral',
  'Llama2',
  'Llama3',
  'Llama4',
  'PaLM',
  'RWKV',
  'Qwen3',
] as const;

/** Chat templates, in the contract's terms. */
export const instructTypes = [
  'none',
  'airoboros',
  'alpaca',
  'alpaca-modif',
  'chatml',
  'claude',
  'code-llama',
  'gemma',
  'llama2',
  'llama3',
  'mistral',
  'nemotron',
  'neural',
  'openchat',
  'phi3',
  'rwkv',
  'vicuna',
  'zephyr',
  'deepseek-r1',
  'deepseek-v3.1',
  'qwq',
  'qwen3',
] as const;
