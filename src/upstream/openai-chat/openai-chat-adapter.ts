import type { Adapter } from '../adapter.ts';
import { readFailure } from '../openai-failures.ts';
import { ChatDecoder } from './decode.ts';
import { encodeChat } from './encode.ts';
import { chatProfile } from './quirks.ts';
import { chatSupport } from './support.ts';

/**
 * The chat-completions dialect, which most providers imitate. The quirks of a provider's data row describe its
 * differences (`ChatQuirks`).
 */
export const openaiChatAdapter: Adapter = {
  encode: encodeChat,
  createDecoder: (call) => new ChatDecoder(call),
  readFailure: (status, body, provider) => readFailure(status, body, chatProfile(provider).errorCodes),
  support: chatSupport,
};
