import { HeadgateError } from '../../core/errors.ts';
import type { Workspace } from '../../ports/workspaces.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { Actor } from '../actor.ts';
import type { Uses } from '../services.ts';

/**
 * The workspace of the actor's account with this id or slug.
 * @throws HeadgateError `not_found`.
 */
export async function findWorkspace(
  actor: Actor,
  idOrSlug: string,
  services: Uses<'accounts' | 'workspaces'>,
): Promise<Workspace> {
  const account = await accountOf(actor, undefined, services);
  const found = await services.storage.workspaces.find(account.id, idOrSlug.toLowerCase());
  if (found === undefined) throw noSuchWorkspace();
  return found;
}

/** The refusal of an id or slug that names no workspace of the account. */
export function noSuchWorkspace(): HeadgateError {
  return new HeadgateError('not_found', 'There is no such workspace in this account.');
}
