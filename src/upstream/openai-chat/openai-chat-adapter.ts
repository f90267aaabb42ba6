import type { Adapter } from '../adapter.ts';
import { createEmbeddingDecoder, readOpenaiEmbeddings } from '../embeddings.ts';
import { readFailure } from '../openai-failures.ts';
import { ChatDecoder } from './decode.ts';
import { encodeChat } from './encode.ts';
import { encodeEmbeddings } from './encode-embeddings.ts';
import { chatProfile } from './quirks.ts';
import { chatSupport } from './support.ts';

/**
 * The chat-completions dialect, which most providers imitate. The quirks of a provider's data row describe its
 * differences (`ChatQuirks`).
 */
export const openaiChatAdapter: Adapter = {
  encode: (call) => (call.request.embedding === undefined ? encodeChat(call) : encodeEmbeddings(call)),
  createDecoder: (call) =>
    call.request.embedding === undefined
      ? new ChatDecoder(call)
      : createEmbeddingDecoder(call.request.items.length, readOpenaiEmbeddings),
  readFailure: (status, body, provider) => readFailure(status, body, chatProfile(provider).errorCodes),
  support: chatSupport,
};
