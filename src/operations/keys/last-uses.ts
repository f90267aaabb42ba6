import type { KeyUse } from '../../ports/usage.ts';
import { dayLength, utcDay } from '../../util/utc-windows.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { Actor } from '../actor.ts';
import type { Uses } from '../services.ts';

const days = 90;
/** Keys that are looked at; each has a day, and a quarter of an hour if it was used lately. */
const mostKeys = 10_000;

/** When the keys of an account were last used. */
export interface LastUses {
  /** Since when was looked, Unix milliseconds. */
  readonly since: number;
  /** One for each key that was used since, the last used ones first. */
  readonly uses: readonly KeyUse[];
}

/** Reads when the keys of the actor's account were last used (docs/spec/dashboard.md#lists). */
export async function lastUses(
  actor: Actor,
  { storage, clock }: Uses<'accounts' | 'usage', 'clock'>,
): Promise<LastUses> {
  const { id } = await accountOf(actor, undefined, { storage });
  const today = utcDay(clock.now());
  const since = (today - days + 1) * dayLength;
  const found = await storage.usage.lastUses(id, since, (today - 1) * dayLength, 2 * mostKeys);
  const uses = new Map<string, KeyUse>();
  // Days come first, so that a quarter of an hour replaces its day.
  for (const use of found) uses.set(use.keyHash, use);
  return { since, uses: [...uses.values()].toSorted((one, other) => other.start - one.start) };
}
