import type { Adapter } from '../adapter.ts';
import { readFailure } from '../openai-failures.ts';
import { ChatDecoder } from './decode.ts';
import { encodeChat } from './encode.ts';
import { chatProfile } from './quirks.ts';
import { chatSupport } from './support.ts';

/**
 * The chat-completions dialect: the one most providers imitate. What a look-alike does differently is told
 * by the quirks of its data row (`ChatQuirks`).
 */
export const openaiChatAdapter: Adapter = {
  encode: encodeChat,
  createDecoder: (call) => new ChatDecoder(call),
  readFailure: (status, body, provider) => readFailure(status, body, chatProfile(provider).errorCodes),
  support: chatSupport,
};
