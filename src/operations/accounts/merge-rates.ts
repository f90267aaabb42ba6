import type { RateLimit } from '../../core/limits.ts';
import type { KeyRates } from '../../ports/keys.ts';

/** The limits of an account after some were given, or undefined when none were. Null takes one away. */
export function mergeRates(before: RateLimit | undefined, given: Partial<KeyRates>): RateLimit | undefined {
  if (Object.keys(given).length === 0) return undefined;
  const kept = Object.entries({ ...before, ...given }).filter(([, limit]) => limit != null);
  return Object.fromEntries(kept);
}
