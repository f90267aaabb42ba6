import type { NameRule } from '../core/features.ts';

/* What each dialect takes of the definitions of tools, as its makers document it. */

/** OpenAI's dialects, those that imitate them, and Bedrock. */
export const usualNames: NameRule = { refused: /[^a-zA-Z0-9_-]/, longest: 64 };

export const claudeNames: NameRule = { ...usualNames, longest: 128 };

export const geminiNames: NameRule = { begins: /^[a-zA-Z_]/, refused: /[^a-zA-Z0-9_.:-]/, longest: 64 };

/** What Claude takes of the strict functions of a request, all of them together. */
export const claudeStrict = { functions: 20, optional: 24, unions: 16 } as const;
