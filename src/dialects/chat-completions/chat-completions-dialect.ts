import type { PublicDialect } from '../public-dialect.ts';
import { ChatWriter } from './answer/chat-writer.ts';
import { readChatRequest } from './request/read-chat-request.ts';

/** The dialect of `POST /chat/completions` (docs/spec/chat.md). */
export const chatCompletionsDialect: PublicDialect = {
  name: 'chat',
  path: '/chat/completions',
  read(body, context) {
    const { request, separatesUsage, wantsLogprobs } = readChatRequest(body, context);
    const settings = { id: context.generationId, separatesUsage, wantsLogprobs };
    return { request, createWriter: () => new ChatWriter(request, settings) };
  },
};
