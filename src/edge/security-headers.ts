import type { Route } from './route.ts';

type Headers = Readonly<Record<string, string>>;

/** Sent with every answer: browsers must not guess its type, and pages that link onward must not name where they were. */
export const securityHeaders: Headers = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/** Sent with answers that show keys, accounts or their records: no cache and no browser history may keep them. */
export const unstored: Headers = { 'cache-control': 'no-store' };

/**
 * Whether every answer of a route, refusals included, is `unstored` (docs/spec/operations.md#security-headers). Answers of models
 * have headers of their own.
 */
export function isUnstored({ access }: Route): boolean {
  return access === 'key' || access === 'management';
}
