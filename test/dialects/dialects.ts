import { amazonBedrock } from './amazon-bedrock.ts';
import { anthropicMessages } from './anthropic-messages.ts';
import { azureDeployment, azureOpenai } from './azure-openai.ts';
import type { DialectScript } from './dialect-script.ts';
import { googleGemini } from './google-gemini.ts';
import { vertexClaude, vertexGemini } from './google-vertex.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';

/** Every dialect the gateway speaks. */
export const dialects: readonly DialectScript[] = [
  anthropicMessages,
  amazonBedrock,
  googleGemini,
  vertexGemini,
  vertexClaude,
  openaiChat,
  openaiResponses,
  azureOpenai,
  azureDeployment(openaiChat),
];
