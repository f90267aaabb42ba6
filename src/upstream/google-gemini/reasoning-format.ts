import type { ReasoningFormat } from '../../core/delta.ts';

/** Marks signatures of this dialect, which alone gets them back. */
export const geminiFormat = 'google-gemini-v1' satisfies ReasoningFormat;
