import type { Workspace, WorkspaceChange } from '../../ports/workspaces.ts';
import type { Actor } from '../actor.ts';
import { makeChange } from '../make-change.ts';
import type { Uses } from '../services.ts';
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
  services: Uses<'accounts' | 'workspaces', 'clock' | 'invalidate'>,
): Promise<Workspace> {
  const before = await findWorkspace(actor, input.idOrSlug, services);
  const { id, accountId } = before;
  const { change } = input;
  const changed = await makeChange(
    // Requests of its keys use its defaults.
    { actor, action: 'workspace.update', id, accountId, before, outdates: { kind: 'callers' } },
    services,
    ({ workspaces }) => workspaces.update(accountId, id, change, services.clock.now()),
  );
  if (changed === 'slug taken') throw slugTaken();
  if (changed === undefined) throw noSuchWorkspace();
  return changed;
}
