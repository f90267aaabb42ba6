import { choice, optional, type TOptional, type TUnsafe } from '../../../../util/json-schema.ts';

/** How far most items can have got (docs/spec/items.md#ids-and-status). */
export const usualStatuses = ['in_progress', 'completed', 'incomplete'] as const;

/**
 * `status` of an item sent back: any word of its kind, or nothing. It has no effect
 * (docs/spec/items.md#ids-and-status).
 */
export function statusOf<const Word extends string>(...words: Word[]): TOptional<TUnsafe<Word | null>> {
  return optional(choice(...words));
}
