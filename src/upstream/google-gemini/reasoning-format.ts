import type { ReasoningFormat } from '../../core/delta.ts';

/** What marks signatures of this dialect, so that only it gets them back. */
export const geminiFormat = 'google-gemini-v1' satisfies ReasoningFormat;
