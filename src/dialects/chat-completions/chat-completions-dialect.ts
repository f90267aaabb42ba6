import type { PublicDialect } from '../public-dialect.ts';
import { ChatWriter } from './answer/chat-writer.ts';
import type { ReadInputBody } from './request/conversation.ts';
import { readChatRequest } from './request/read-chat-request.ts';

/**
 * The dialect of `POST /chat/completions` (docs/spec/chat.md).
 * @param readInputBody Reads what some clients send here in the words of `POST /responses`.
 */
export function createChatCompletionsDialect(readInputBody: ReadInputBody): PublicDialect {
  return {
    name: 'chat',
    path: '/chat/completions',
    read(body, context) {
      const { request, separatesUsage, wantsLogprobs } = readChatRequest(body, context, readInputBody);
      const settings = { id: context.generationId, separatesUsage, wantsLogprobs };
      return { request, createWriter: () => new ChatWriter(request, settings) };
    },
  };
}
