import type { Invalidation } from '../../ports/invalidation.ts';

/** Does nothing, because a single process has nobody to notify. */
export const noInvalidation: Invalidation = { publish: () => {}, subscribe: () => {} };
