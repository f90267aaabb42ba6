import { createRawKey } from '../../core/api-key.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { AppServices } from '../../edge/app-services.ts';
import { queryFlag, queryOffset, queryText } from '../../edge/query.ts';
import type { RouteCall } from '../../edge/route.ts';
import { newKey } from '../../operations/new-key.ts';
import type { ApiKey } from '../../ports/keys.ts';
import { malformed } from '../../schema/fault.ts';
import type { Caller } from '../../settlement/caller.ts';
import type { JsonObject } from '../../util/json.ts';
import { chosenWorkspace } from './chosen-workspace.ts';
import { readKeyChange, readNewKey } from './key-bodies.ts';
import { showKey } from './show-key.ts';

const pageLength = 100;

/** `GET /keys`: the keys of a workspace, newest first, a hundred at a time. */
export async function listKeys(
  request: RouteCall,
  caller: Caller,
  services: AppServices,
): Promise<JsonObject> {
  const workspaceId = await chosenWorkspace(queryText(request, 'workspace_id'), caller, services);
  const keys = await services.storage.keys.list({
    accountId: caller.account.id,
    workspaceId,
    includeDisabled: queryFlag(request, 'include_disabled') ?? false,
    offset: queryOffset(request),
    limit: pageLength,
  });
  return { data: await Promise.all(keys.map((key) => withSpend(key, services))) };
}

/** `POST /keys`: makes a key and shows it, this once. */
export async function createKey(
  request: RouteCall,
  caller: Caller,
  services: AppServices,
): Promise<JsonObject> {
  const now = services.clock.now();
  const { workspaceId, creatorUserId, ...asked } = readNewKey(request.body, now);
  if (creatorUserId !== null && caller.account.kind !== 'organization') {
    throw malformed('creator_user_id', 'only keys of an organization have a creator');
  }
  const raw = createRawKey();
  const key = newKey(raw, {
    ...asked,
    accountId: caller.account.id,
    kind: 'inference',
    workspaceId: await chosenWorkspace(workspaceId, caller, services),
    creatorUserId,
    createdAt: now,
  });
  await services.storage.keys.create(key, asked.externalKeyHash);
  return { data: await withSpend(key, services), key: raw };
}

/** `GET /keys/{hash}`. */
export async function showOneKey(
  request: RouteCall,
  caller: Caller,
  services: AppServices,
): Promise<JsonObject> {
  return { data: await withSpend(await ownKey(request, caller, services), services) };
}

/** `PATCH /keys/{hash}`: works at once in this process, within seconds in others. */
export async function changeKey(
  request: RouteCall,
  caller: Caller,
  services: AppServices,
): Promise<JsonObject> {
  const { hash } = await ownKey(request, caller, services);
  const change = readKeyChange(request.body);
  const changed = await services.storage.keys.update(hash, change, services.clock.now());
  services.invalidate({ kind: 'callers', keyHash: hash });
  if (changed === undefined) throw noSuchKey();
  return { data: await withSpend(changed, services) };
}

/** `DELETE /keys/{hash}`: for good. */
export async function deleteKey(
  request: RouteCall,
  caller: Caller,
  services: AppServices,
): Promise<JsonObject> {
  const { hash } = await ownKey(request, caller, services);
  const deleted = await services.storage.keys.delete(hash, services.clock.now());
  services.invalidate({ kind: 'callers', keyHash: hash });
  if (!deleted) throw noSuchKey();
  return { deleted: true };
}

/** Management keys are issued by the operator and are not seen here (accounts-and-limits 1.5). */
async function ownKey(request: RouteCall, caller: Caller, services: AppServices): Promise<ApiKey> {
  const { hash = '' } = request.params;
  const found = await services.storage.keys.findWithAccount(hash);
  if (found?.key.accountId !== caller.account.id || found.key.kind !== 'inference') throw noSuchKey();
  return found.key;
}

async function withSpend(key: ApiKey, services: AppServices): Promise<JsonObject> {
  return showKey(key, await services.storage.ledger.keySpend(key.hash, services.clock.now()));
}

function noSuchKey(): HeadgateError {
  return new HeadgateError('not_found', 'There is no such key in this account.');
}
