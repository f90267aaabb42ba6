import type { Upstream, UpstreamRegistry } from '../ports/upstream.ts';
import type { Adapter } from './adapter.ts';
import { amazonBedrockAdapter } from './amazon-bedrock/amazon-bedrock-adapter.ts';
import {
  anthropicMessagesAdapter,
  vertexMessagesAdapter,
} from './anthropic-messages/anthropic-messages-adapter.ts';
import { createAzureOpenaiAdapter } from './azure-openai/azure-openai-adapter.ts';
import { googleGeminiAdapter, vertexGeminiAdapter } from './google-gemini/google-gemini-adapter.ts';
import { createGoogleVertexAdapter } from './google-vertex/google-vertex-adapter.ts';
import { createTokenSource } from './google-vertex/token-source.ts';
import { openaiChatAdapter } from './openai-chat/openai-chat-adapter.ts';
import { openaiResponsesAdapter } from './openai-responses/openai-responses-adapter.ts';
import { createSandboxUpstream } from './sandbox/sandbox-upstream.ts';
import { createHttpUpstream } from './wire/http-upstream.ts';
import type { Transport } from './wire/transport.ts';

/** Every dialect over HTTP, by its name in the configuration. */
const adapters: Readonly<Record<string, Adapter>> = {
  'amazon-bedrock': amazonBedrockAdapter,
  'anthropic-messages': anthropicMessagesAdapter,
  'google-gemini': googleGeminiAdapter,
  'google-vertex': createGoogleVertexAdapter(
    { gemini: vertexGeminiAdapter, claude: vertexMessagesAdapter },
    createTokenSource(),
  ),
  'azure-openai': createAzureOpenaiAdapter({ responses: openaiResponsesAdapter, chat: openaiChatAdapter }),
  'openai-chat': openaiChatAdapter,
  'openai-responses': openaiResponsesAdapter,
};

/** The dependencies of the upstreams. */
export interface UpstreamServices {
  readonly transport: Transport;
}

/** Creates all upstreams by adapter name: the HTTP dialects and the sandbox. */
export function createUpstreamRegistry({ transport }: UpstreamServices): UpstreamRegistry {
  const upstreams = Object.entries(adapters).map(([name, adapter]): [string, Upstream] => [
    name,
    createHttpUpstream(adapter, transport),
  ]);
  return new Map([...upstreams, ['sandbox', createSandboxUpstream()]]);
}
