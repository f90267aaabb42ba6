import type { Workspace, WorkspaceChange } from '../../ports/workspaces.ts';
import type { Actor } from '../actor.ts';
import { workspaceLook } from '../audit/look-at.ts';
import { notingRefusal } from '../audit/noting-refusal.ts';
import { makeChange } from '../make-change.ts';
import type { UsesToChange } from '../services.ts';
import { slugTaken } from './create-workspace.ts';
import { findWorkspace, noSuchWorkspace } from './find-workspace.ts';

/** A workspace and what of it changes; what is absent stays. `change` is read once the workspace was found. */
export interface ChangedWorkspace {
  readonly idOrSlug: string;
  readonly change: WorkspaceChange;
}

/**
 * Changes a workspace.
 * @throws HeadgateError `not_found`; `invalid_request` when another one of the account has the slug.
 */
export async function changeWorkspace(
  actor: Actor,
  input: ChangedWorkspace,
  services: UsesToChange<'accounts' | 'workspaces'>,
): Promise<Workspace> {
  const action = 'workspace.update';
  return notingRefusal({ actor, action, id: input.idOrSlug }, services, async () => {
    const { id, accountId } = await findWorkspace(actor, input.idOrSlug, services);
    const { change } = input;
    const look = workspaceLook(accountId, id);
    return makeChange(
      // Requests of its keys use its defaults.
      { actor, action, id, accountId, workspaceId: id, look, outdates: { kind: 'callers' } },
      services,
      async ({ workspaces }) => {
        const changed = await workspaces.update(accountId, id, change, services.clock.now());
        if (changed === 'slug taken') throw slugTaken();
        if (changed === undefined) throw noSuchWorkspace();
        return changed;
      },
    );
  });
}
