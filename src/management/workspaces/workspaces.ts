import { randomUUID } from 'node:crypto';
import { keyNumber } from '../../content/content-rules.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { Account } from '../../ports/accounts.ts';
import {
  plainSettings,
  type Workspace,
  type WorkspaceChange,
  type WorkspaceStore,
} from '../../ports/workspaces.ts';
import { malformed } from '../../schema/fault.ts';
import { accountOf } from '../accounts/account-of.ts';
import { type Actor, refusal } from '../actor.ts';
import { workspaceLook } from '../audit/looks.ts';
import { notingRefusal } from '../audit/refusals.ts';
import { makeChange, requireRoom } from '../make-change.ts';
import type { Uses, UsesToChange } from '../services.ts';

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
  if (input.ioLoggingKeyIds?.length) {
    throw malformed('io_logging_api_key_ids[0]', 'a new workspace has no keys: list them once they are made');
  }
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

/** @throws HeadgateError `invalid_request` for the number of a key that the workspace does not have. */
async function requireOwnKeys(
  place: { readonly accountId: string; readonly workspaceId: string },
  numbers: readonly number[] | null | undefined,
  { storage, stored }: Uses<'keys', 'stored'>,
): Promise<void> {
  if (!numbers?.length) return;
  const keys = await storage.keys.list({ ...place, includeDisabled: true, offset: 0, limit: stored.keys });
  const known = new Set(keys.map(({ hash }) => keyNumber(hash)));
  const index = numbers.findIndex((number) => !known.has(number));
  if (index === -1) return;
  const fault = 'no key of this workspace has this number, which GET /keys shows as "number"';
  throw malformed(`io_logging_api_key_ids[${index}]`, fault);
}

/** The refusal of a slug that another workspace of the account has. */
export function slugTaken(): HeadgateError {
  return malformed('slug', 'another workspace of this account has it');
}

/** A workspace and what of it changes; what is absent stays. `change` is read once the workspace was found. */
interface ChangedWorkspace {
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
  services: UsesToChange<'accounts' | 'workspaces' | 'keys', 'stored'>,
): Promise<Workspace> {
  const action = 'workspace.update';
  return notingRefusal({ actor, action, id: input.idOrSlug }, services, async () => {
    const { id, accountId } = await findWorkspace(actor, input.idOrSlug, services);
    const { change } = input;
    await requireOwnKeys({ accountId, workspaceId: id }, change.ioLoggingKeyIds, services);
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

/** The parameter by which a caller confirms that the default workspace is to go. */
export const deletionConfirmation = 'confirm_default_workspace_deletion';

/** A workspace to delete. `evenDefault` is read once it was found. */
interface DeletedWorkspace {
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

/** Lists the workspaces of an account, oldest first, with how many it has in all. */
export async function listWorkspaces(
  actor: Actor,
  page: { readonly offset: number; readonly limit: number },
  services: Uses<'accounts' | 'workspaces'>,
): Promise<{ readonly workspaces: readonly Workspace[]; readonly total: number }> {
  const { id: accountId } = await accountOf(actor, undefined, services);
  return services.storage.workspaces.list({ accountId, ...page });
}

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
function noSuchWorkspace(): HeadgateError {
  return new HeadgateError('not_found', 'There is no such workspace in this account.');
}

/**
 * The id of the workspace an operation works in: the one named, or the account's default one. The operator may also
 * name it by its slug.
 * @param advice What the operator can do where the default one was deleted.
 * @throws HeadgateError `invalid_request` when it is none of the account's, or when none is named and the default one
 *   was deleted.
 */
export async function chooseWorkspace(
  actor: Actor,
  account: Account,
  named: string | undefined,
  { storage }: Uses<'workspaces'>,
  advice = 'name one with --workspace',
): Promise<string> {
  const wanted = (actor.kind === 'key' ? named?.toLowerCase() : named) ?? account.defaultWorkspaceId;
  const found = wanted === null ? undefined : await storage.workspaces.find(account.id, wanted);
  if (found !== undefined && (actor.kind === 'operator' || found.id === wanted)) return found.id;
  throw named === undefined
    ? refusal(
        actor,
        malformed('workspace_id', 'the default workspace was deleted; name another one'),
        `the default workspace was deleted; ${advice}`,
      )
    : refusal(
        actor,
        malformed('workspace_id', 'is no workspace of this account'),
        `the account has no workspace "${named}"; GET /api/v1/workspaces with a management key lists them`,
      );
}
