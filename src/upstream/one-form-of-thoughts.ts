import type { Support } from '../core/features.ts';

/** Thoughts are shown, but not as the caller would have them summed up. */
export const oneFormOfThoughts: Support = {
  adapted: 'thoughts come in the one form the model shows',
  when: ({ reasoning }) => reasoning?.summary !== 'auto',
};
