import type { Invalidation } from '../../ports/invalidation.ts';

/** Where there is one process, there is nobody to tell. */
export const noInvalidation: Invalidation = { publish: () => {}, subscribe: () => {} };
