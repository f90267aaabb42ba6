import { HeadgateError } from '../../core/errors.ts';
import type { Workspace, WorkspaceStore } from '../../ports/workspaces.ts';
import { malformed } from '../../schema/fault.ts';
import type { Actor } from '../actor.ts';
import { workspaceLook } from '../audit/look-at.ts';
import { notingRefusal } from '../audit/noting-refusal.ts';
import { makeChange } from '../make-change.ts';
import type { UsesToChange } from '../services.ts';
import { findWorkspace, noSuchWorkspace } from './find-workspace.ts';

/** The parameter by which a caller confirms that the default workspace is to go. */
export const deletionConfirmation = 'confirm_default_workspace_deletion';

/** A workspace to delete. `evenDefault` is read once it was found. */
export interface DeletedWorkspace {
  readonly idOrSlug: string;
  readonly evenDefault: boolean;
}

/**
 * Deletes a workspace and its provider credentials. Returns what it was.
 * @throws HeadgateError `not_found`; `invalid_request` while it has keys that work, or when it is the default one and
 *   that is not confirmed.
 */
export async function deleteWorkspace(
  actor: Actor,
  input: DeletedWorkspace,
  services: UsesToChange<'accounts' | 'workspaces'>,
): Promise<Workspace> {
  const action = 'workspace.delete';
  return notingRefusal({ actor, action, id: input.idOrSlug }, services, async () => {
    const before = await findWorkspace(actor, input.idOrSlug, services);
    const { id, accountId } = before;
    const options = { evenDefault: input.evenDefault, now: services.clock.now() };
    const look = workspaceLook(accountId, id);
    await makeChange(
      { actor, action, id, accountId, workspaceId: id, look, outdates: { kind: 'callers' } },
      services,
      async ({ workspaces }) => requireDeleted(await workspaces.delete(accountId, id, options)),
    );
    return before;
  });
}

/** @throws HeadgateError for a deletion that did not happen. */
function requireDeleted(outcome: Awaited<ReturnType<WorkspaceStore['delete']>>): void {
  if (outcome === undefined) throw noSuchWorkspace();
  if (outcome === 'has keys') {
    throw new HeadgateError(
      'invalid_request',
      'The workspace has active keys: disable or delete them first.',
    );
  }
  if (outcome === 'is the default') {
    throw malformed(deletionConfirmation, 'must be true to delete the default workspace');
  }
}
