import type { AccountPrivacy } from '../../ports/accounts.ts';

/** The privacy settings of an account after some were given, or undefined when none were. */
export function mergePrivacy(
  before: AccountPrivacy | undefined,
  given: AccountPrivacy,
): AccountPrivacy | undefined {
  if (Object.keys(given).length === 0) return undefined;
  // What restricts nothing is not kept.
  const kept = Object.entries({ ...before, ...given }).filter(([, value]) =>
    Array.isArray(value) ? value.length > 0 : value === true,
  );
  return Object.fromEntries(kept);
}
