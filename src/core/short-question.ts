import type { CanonicalRequest } from './request.ts';

/** Enough for a word; some models refuse fewer. */
const fewTokens = 16;

/** The shortest request there is: it shows whether a provider answers. */
export const shortQuestion: CanonicalRequest = {
  items: [{ kind: 'message', role: 'user', content: [{ kind: 'text', text: 'Answer with the word OK.' }] }],
  tools: [],
  toolChoice: { kind: 'auto' },
  maxOutputTokens: fewTokens,
  sampling: {},
  format: { kind: 'text' },
  includeEncryptedReasoning: false,
  outputModalities: ['text'],
  truncation: 'disabled',
};
