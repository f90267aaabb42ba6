import { randomUUID } from 'node:crypto';
import type { HeadgateError } from '../../core/errors.ts';
import { plainSettings, type Workspace, type WorkspaceChange } from '../../ports/workspaces.ts';
import { malformed } from '../../schema/fault.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { Actor } from '../actor.ts';
import { workspaceLook } from '../audit/look-at.ts';
import { notingRefusal } from '../audit/noting-refusal.ts';
import { makeChange } from '../make-change.ts';
import { requireRoom } from '../require-room.ts';
import type { UsesToChange } from '../services.ts';

/** What a new workspace is to be. Settings that are absent have their plain values. */
export type NewWorkspace = WorkspaceChange & Pick<Workspace, 'name' | 'slug'>;

/**
 * Creates a workspace.
 * @throws HeadgateError `invalid_request` when another one of the account has the slug, and for too many.
 */
export async function createWorkspace(
  actor: Actor,
  input: NewWorkspace,
  services: UsesToChange<'accounts' | 'workspaces', 'stored'>,
): Promise<Workspace> {
  const attempt = { actor, action: 'workspace.create' } as const;
  return notingRefusal(attempt, services, () => create(actor, input, services));
}

async function create(
  actor: Actor,
  input: NewWorkspace,
  services: UsesToChange<'accounts' | 'workspaces', 'stored'>,
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
  const look = workspaceLook(accountId, id);
  await makeChange(
    { actor, action: 'workspace.create', id, accountId, workspaceId: id, look },
    services,
    async ({ workspaces }) => {
      const { total: have } = await workspaces.list({ accountId, offset: 0, limit: 1 });
      const room = { have, most: services.stored.workspaces };
      requireRoom(actor, room, 'An account', 'workspaces; delete one');
      if ((await workspaces.create(workspace)) === 'slug taken') throw slugTaken();
    },
  );
  return workspace;
}

/** The refusal of a slug that another workspace of the account has. */
export function slugTaken(): HeadgateError {
  return malformed('slug', 'another workspace of this account has it');
}
