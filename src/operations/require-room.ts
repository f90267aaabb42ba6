import { HeadgateError } from '../core/errors.ts';
import type { Actor } from './actor.ts';

/**
 * Refuses to create what there are too many of already. Operators are not bound.
 * @param whose What has so many at most: "An account".
 * @param what The objects, and what to do about them: "workspaces; delete one".
 * @throws HeadgateError `invalid_request`.
 */
export function requireRoom(
  actor: Actor,
  { have, most }: { readonly have: number; readonly most: number },
  whose: string,
  what: string,
): void {
  if (actor.kind !== 'key' || have < most) return;
  throw new HeadgateError('invalid_request', `${whose} may have at most ${most} ${what}.`);
}
