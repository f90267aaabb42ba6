import { randomUUID } from 'node:crypto';
import type { HeadgateError } from '../../core/errors.ts';
import { plainSettings, type Workspace, type WorkspaceChange } from '../../ports/workspaces.ts';
import { malformed } from '../../schema/fault.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { Actor } from '../actor.ts';
import { makeChange } from '../make-change.ts';
import type { Uses } from '../services.ts';

/** What a new workspace is to be. Settings that are absent have their plain values. */
export type NewWorkspace = WorkspaceChange & Pick<Workspace, 'name' | 'slug'>;

/**
 * Creates a workspace.
 * @throws HeadgateError `invalid_request` when another one of the account has the slug.
 */
export async function createWorkspace(
  actor: Actor,
  input: NewWorkspace,
  services: Uses<'accounts' | 'workspaces', 'clock' | 'invalidate'>,
): Promise<Workspace> {
  const { id: accountId } = await accountOf(actor, undefined, services);
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  const id = randomUUID();
  const workspace: Workspace = {
    ...plainSettings,
    ...given,
    name: input.name,
    slug: input.slug,
    id,
    accountId,
    createdAt: services.clock.now(),
    updatedAt: null,
    createdBy: actor.kind === 'key' ? actor.userId : null,
  };
  const outcome = await makeChange(
    { actor, action: 'workspace.create', id, accountId },
    services,
    ({ workspaces }) => workspaces.create(workspace),
  );
  if (outcome === 'slug taken') throw slugTaken();
  return workspace;
}

/** The refusal of a slug that another workspace of the account has. */
export function slugTaken(): HeadgateError {
  return malformed('slug', 'another workspace of this account has it');
}
