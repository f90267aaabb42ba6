import { type CanonicalChat, plainChat } from './request.ts';

/** Enough for a word; some models refuse fewer. */
const fewTokens = 16;

/** The shortest request there is: it shows whether a provider answers. */
export const shortQuestion: CanonicalChat = plainChat(
  [{ kind: 'message', role: 'user', content: [{ kind: 'text', text: 'Answer with the word OK.' }] }],
  { maxOutputTokens: fewTokens },
);
