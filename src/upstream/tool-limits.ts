import type { NameRule } from '../core/features.ts';

/* What each dialect takes of the definitions of tools, as its makers document it. */

const letters = /[^a-zA-Z0-9_-]/;

/** OpenAI's dialects, and those that imitate them. */
export const openaiNames: NameRule = { begins: /^[a-zA-Z0-9_-]/, refused: letters, longest: 64 };

export const claudeNames: NameRule = { begins: /^[a-zA-Z0-9_-]/, refused: letters, longest: 128 };

export const bedrockNames: NameRule = { begins: /^[a-zA-Z0-9_-]/, refused: letters, longest: 64 };

export const geminiNames: NameRule = { begins: /^[a-zA-Z_]/, refused: /[^a-zA-Z0-9_.:-]/, longest: 64 };
