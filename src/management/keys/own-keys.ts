import { HeadgateError } from '../../core/errors.ts';
import { type Permission, reachesOwnAlone } from '../../core/roles.ts';
import type { ApiKey, KeyQuery } from '../../ports/keys.ts';
import type { Actor, KeyActor } from '../actor.ts';

/*
 * An editor reaches keys of the member that it acts for, and what was done with them, and no others
 * (docs/spec/identity.md#own-things).
 */

/**
 * Whose a new key is: an editor makes keys of its own person alone (docs/spec/identity.md#own-things).
 * @throws HeadgateError `permission_denied`.
 */
export function creatorOf(actor: Actor, asked: string | null): string | null {
  if (!reachesOwn(actor, 'keys')) return asked;
  if (asked === null || asked === actor.userId) return actor.userId;
  throw new HeadgateError(
    'permission_denied',
    `The role "${actor.role}" makes keys of its own person alone: leave out "creator_user_id".`,
  );
}

/** Narrows a list of keys to those that an actor may see. */
export function ownKeysAlone(actor: Actor): Pick<KeyQuery, 'creatorUserId'> {
  return reachesOwn(actor, 'keys') ? { creatorUserId: actor.userId } : {};
}

/** Whether a key is one of those that an actor may see, as `findKey` says it. */
export function mayReachKey(actor: KeyActor, { accountId, kind, creatorUserId }: ApiKey): boolean {
  if (accountId !== actor.account.id || kind !== 'inference') return false;
  return !reachesOwn(actor, 'keys') || isOwn(actor, creatorUserId);
}

/** Whether an actor reaches with a permission what its own person made, and nothing else. */
export function reachesOwn(actor: Actor, permission: Permission): actor is KeyActor {
  return actor.kind === 'key' && actor.role !== undefined && reachesOwnAlone(actor.role, permission);
}

/** Whether the person that an actor acts for is the one who made something. */
export function isOwn({ userId }: Pick<KeyActor, 'userId'>, creatorUserId: string | null): boolean {
  return userId !== null && userId === creatorUserId;
}

/**
 * Refuses what the configuration decides of a derived key, and what would give it a secret or take it away for good.
 * @param changed Names of the members that a call would change; `undefined` for a rotation or deletion.
 * @throws HeadgateError `invalid_request`.
 */
export function requireOwnDecision({ origin }: ApiKey, changed: readonly string[] | undefined): void {
  if (origin !== 'derived') return;
  const member = changed?.find((name) => name !== 'name' && name !== 'disabled');
  if (changed !== undefined && member === undefined) return;
  throw new HeadgateError(
    'invalid_request',
    member === undefined
      ? 'This key belongs to a subject of auth.workloads: disable it, or change the policy in the configuration.'
      : `This key belongs to a subject of auth.workloads: its policy decides everything but "name" and "disabled".`,
  );
}
