/** Which release of the conventions for model calls a span follows. */
export type Conventions = 'latest' | '1.41';

/** Names of attributes that differ between releases; undefined where one has no name for it. */
interface GenAiNames {
  /** Sent along, so that a backend can translate names. */
  readonly schemaUrl: string;
  readonly cacheWriteTokens: string;
  readonly reasoningLevel: string | undefined;
}

/**
 * The names of the conventions for generative AI, by release: nothing else spells one (docs/spec/telemetry.md#names). Those
 * that both releases share are below.
 */
export const genAiNames: Readonly<Record<Conventions, GenAiNames>> = {
  latest: {
    schemaUrl: 'https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev',
    cacheWriteTokens: 'gen_ai.usage.cache_write.input_tokens',
    reasoningLevel: 'gen_ai.request.reasoning.level',
  },
  '1.41': {
    schemaUrl: 'https://opentelemetry.io/schemas/1.41.1',
    cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
    reasoningLevel: undefined,
  },
};

/** Names that all releases share. */
export const genAi = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  maxTokens: 'gen_ai.request.max_tokens',
  temperature: 'gen_ai.request.temperature',
  topP: 'gen_ai.request.top_p',
  topK: 'gen_ai.request.top_k',
  seed: 'gen_ai.request.seed',
  stopSequences: 'gen_ai.request.stop_sequences',
  frequencyPenalty: 'gen_ai.request.frequency_penalty',
  presencePenalty: 'gen_ai.request.presence_penalty',
  stream: 'gen_ai.request.stream',
  outputType: 'gen_ai.output.type',
  conversation: 'gen_ai.conversation.id',
  responseId: 'gen_ai.response.id',
  responseModel: 'gen_ai.response.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  timeToFirstChunk: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  toolName: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  toolCallId: 'gen_ai.tool.call.id',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  toolDefinitions: 'gen_ai.tool.definitions',
  systemInstructions: 'gen_ai.system_instructions',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
} as const;
