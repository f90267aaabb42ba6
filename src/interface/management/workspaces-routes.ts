import { randomUUID } from 'node:crypto';
import { HeadgateError } from '../../core/errors.ts';
import type { AppServices } from '../../edge/app-services.ts';
import { accountPage, queryFlag, queryLimit, queryOffset } from '../../edge/query.ts';
import type { RouteCall } from '../../edge/route.ts';
import { plainSettings, type Workspace } from '../../ports/workspaces.ts';
import { malformed } from '../../schema/fault.ts';
import type { Caller } from '../../settlement/caller.ts';
import type { JsonObject } from '../../util/json.ts';
import { showWorkspace } from './show-workspace.ts';
import { readNewWorkspace, readWorkspaceChange } from './workspace-bodies.ts';

const confirmation = 'confirm_default_workspace_deletion';

/** `GET /workspaces`: those of the account, oldest first. */
export async function listWorkspaces(
  request: RouteCall,
  { account }: Caller,
  { storage }: AppServices,
): Promise<JsonObject> {
  const query = {
    accountId: account.id,
    offset: queryOffset(request),
    limit: queryLimit(request, accountPage),
  };
  const { workspaces, total } = await storage.workspaces.list(query);
  return { data: workspaces.map(showWorkspace), total_count: total };
}

/** `POST /workspaces`. */
export async function createWorkspace(
  request: RouteCall,
  { account, key }: Caller,
  { storage, clock }: AppServices,
): Promise<JsonObject> {
  const asked = readNewWorkspace(request.body);
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  const workspace: Workspace = {
    ...plainSettings,
    ...given,
    name: asked.name,
    slug: asked.slug,
    id: randomUUID(),
    accountId: account.id,
    createdAt: clock.now(),
    updatedAt: null,
    createdBy: key.creatorUserId,
  };
  if ((await storage.workspaces.create(workspace)) === 'slug taken') throw slugTaken();
  return { data: showWorkspace(workspace) };
}

/** `GET /workspaces/{id}`, by id or slug. */
export async function showOneWorkspace(
  request: RouteCall,
  caller: Caller,
  services: AppServices,
): Promise<JsonObject> {
  return { data: showWorkspace(await ownWorkspace(request, caller, services)) };
}

/** `PATCH /workspaces/{id}`. */
export async function changeWorkspace(
  request: RouteCall,
  caller: Caller,
  services: AppServices,
): Promise<JsonObject> {
  const { id } = await ownWorkspace(request, caller, services);
  const change = readWorkspaceChange(request.body);
  const { workspaces } = services.storage;
  const changed = await workspaces.update(caller.account.id, id, change, services.clock.now());
  if (changed === 'slug taken') throw slugTaken();
  if (changed === undefined) throw noSuchWorkspace();
  // Its keys go by what it presumes.
  services.invalidate({ kind: 'callers' });
  return { data: showWorkspace(changed) };
}

/** `DELETE /workspaces/{id}`: needs that no key of it works; the default one also a confirmation (section 8.1). */
export async function deleteWorkspace(
  request: RouteCall,
  caller: Caller,
  services: AppServices,
): Promise<JsonObject> {
  const { id } = await ownWorkspace(request, caller, services);
  const evenDefault = queryFlag(request, confirmation) ?? false;
  const options = { evenDefault, now: services.clock.now() };
  const outcome = await services.storage.workspaces.delete(caller.account.id, id, options);
  services.invalidate({ kind: 'callers' });
  if (outcome === undefined) throw noSuchWorkspace();
  if (outcome === 'has keys') {
    throw new HeadgateError(
      'invalid_request',
      'The workspace has active keys: disable or delete them first.',
    );
  }
  if (outcome === 'is the default') {
    throw malformed(confirmation, 'must be true to delete the default workspace');
  }
  return { deleted: true };
}

async function ownWorkspace(
  request: RouteCall,
  { account }: Caller,
  { storage }: AppServices,
): Promise<Workspace> {
  const { id = '' } = request.params;
  const found = await storage.workspaces.find(account.id, id.toLowerCase());
  if (found === undefined) throw noSuchWorkspace();
  return found;
}

function slugTaken(): HeadgateError {
  return malformed('slug', 'another workspace of this account has it');
}

function noSuchWorkspace(): HeadgateError {
  return new HeadgateError('not_found', 'There is no such workspace in this account.');
}
