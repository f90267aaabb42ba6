import type { Workspace } from '../../ports/workspaces.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { Actor } from '../actor.ts';
import type { Uses } from '../services.ts';

/** Lists the workspaces of an account, oldest first, with how many it has in all. */
export async function listWorkspaces(
  actor: Actor,
  page: { readonly offset: number; readonly limit: number },
  services: Uses<'accounts' | 'workspaces'>,
): Promise<{ readonly workspaces: readonly Workspace[]; readonly total: number }> {
  const { id: accountId } = await accountOf(actor, undefined, services);
  return services.storage.workspaces.list({ accountId, ...page });
}
