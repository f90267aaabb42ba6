import { amazonBedrock } from './amazon-bedrock.ts';
import { anthropicMessages } from './anthropic-messages.ts';
import type { DialectScript } from './dialect-script.ts';
import { openaiChat } from './openai-chat.ts';

/** Every dialect the gateway speaks. */
export const dialects: readonly DialectScript[] = [anthropicMessages, amazonBedrock, openaiChat];
