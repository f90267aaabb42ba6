import { choice, optional, type TOptional, type TUnsafe } from '../../../../util/json-schema.ts';

/** How far most items can have got (responses.md 3.2, S3). */
export const usualStatuses = ['in_progress', 'completed', 'incomplete'] as const;

/** `status` of an item sent back: any word of its kind, or nothing. It has no effect (responses.md 3.1.5). */
export function statusOf<const Word extends string>(...words: Word[]): TOptional<TUnsafe<Word | null>> {
  return optional(choice(...words));
}
