import type { DialectScript } from './dialect-script.ts';

/** Every dialect the gateway speaks. */
export const dialects: readonly DialectScript[] = [];
