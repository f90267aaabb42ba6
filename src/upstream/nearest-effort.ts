import type { Effort } from '../core/efforts.ts';
import type { Support } from '../core/features.ts';

/** The support for efforts at a provider with these levels, where a model states none of its own. */
export function nearestOf(levels: readonly Effort[]): Support {
  return {
    adapted: `the nearest of ${levels.join(', ')}`,
    when: ({ reasoning }, { model }) =>
      model.reasoning?.supportedEfforts === undefined &&
      reasoning?.effort !== undefined &&
      !levels.includes(reasoning.effort),
  };
}
