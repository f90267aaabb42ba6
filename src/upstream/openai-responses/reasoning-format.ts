import type { Provider } from '../../core/catalogue.ts';
import type { ReasoningFormat } from '../../core/delta.ts';

const formats: readonly ReasoningFormat[] = [
  'openai-responses-v1',
  'azure-openai-responses-v1',
  'bedrock-openai-responses-v1',
  'bedrock-xai-responses-v1',
  'xai-responses-v1',
  'meta-responses-v1',
];

/**
 * The format of the reasoning blobs a provider of this dialect makes and reads (responses.md 3.2 e): its
 * quirk `reasoningFormat`, or `openai-responses-v1`.
 */
export function reasoningFormat(provider: Provider): ReasoningFormat {
  const stated = provider.quirks.reasoningFormat;
  return formats.find((format) => format === stated) ?? 'openai-responses-v1';
}
