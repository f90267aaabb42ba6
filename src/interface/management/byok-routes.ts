import { randomUUID } from 'node:crypto';
import { HeadgateError } from '../../core/errors.ts';
import type { AppServices } from '../../edge/app-services.ts';
import { accountPage, queryLimit, queryOffset, queryText } from '../../edge/query.ts';
import type { RouteCall } from '../../edge/route.ts';
import { credentialLabel } from '../../operations/credential-label.ts';
import { showCredential } from '../../operations/show-credential.ts';
import type { WellFormedCredential } from '../../ports/credential-forms.ts';
import type { CredentialChange, ProviderCredential } from '../../ports/credentials.ts';
import { malformed } from '../../schema/fault.ts';
import type { Caller } from '../../settlement/caller.ts';
import type { JsonObject } from '../../util/json.ts';
import {
  readByokBody,
  readCredentialChange,
  readDeclaredZdr,
  readFlag,
  readHashes,
  readKey,
  readName,
  readProvider,
  readTexts,
  readWorkspaceId,
  requireCompatible,
} from './byok-body.ts';
import { chosenWorkspace } from './chosen-workspace.ts';

/** `GET /byok`: the credentials of a workspace, and those of the whole account, by provider and place. */
export async function listCredentials(
  request: RouteCall,
  caller: Caller,
  services: AppServices,
): Promise<JsonObject> {
  const offset = queryOffset(request);
  const limit = queryLimit(request, accountPage);
  const provider = queryText(request, 'provider');
  if (provider !== undefined) readProvider({ provider }, services.credentialForms);
  const asked = readWorkspaceId({ workspace_id: queryText(request, 'workspace_id') });
  const workspaceId = await chosenWorkspace(asked, caller, services);
  const query = { accountId: caller.account.id, workspaceId, provider, offset, limit };
  const { credentials, total } = await services.storage.credentials.list(query);
  return { data: credentials.map(showCredential), total_count: total };
}

/** `POST /byok`: stores a credential; nothing when any rule of accounts-and-limits 6.1 fails. */
export async function createCredential(
  request: RouteCall,
  caller: Caller,
  services: AppServices,
): Promise<JsonObject> {
  const { credentialForms, storage, vault, clock } = services;
  const body = readByokBody(request.body, 'create');
  const provider = readProvider(body, credentialForms);
  const key = readKey(body, provider, credentialForms);
  const name = readName(body);
  const workspaceId = await chosenWorkspace(readWorkspaceId(body), caller, services);
  const allowedKeyHashes = readHashes(body);
  await requireOwnKeys(allowedKeyHashes, caller, services);
  const credential = {
    id: randomUUID(),
    accountId: caller.account.id,
    workspaceId,
    provider,
    name,
    label: credentialLabel(key),
    allowedKeyHashes,
    allowedModels: readTexts(body, 'allowed_models'),
    allowedUserIds: readTexts(body, 'allowed_user_ids'),
    disabled: readFlag(body, 'disabled'),
    isByokOnly: readFlag(body, 'is_byok_only'),
    isFallback: readFlag(body, 'is_fallback'),
    isRequired: readFlag(body, 'is_required'),
    declaredZdr: readDeclaredZdr(body),
    createdAt: clock.now(),
  };
  requireCompatible(credential);
  const stored = await vault.seal(key.secret, credential, (sealed) =>
    storage.credentials.create(credential, sealed),
  );
  services.invalidate({ kind: 'callers' });
  return { data: showCredential(stored) };
}

/** `GET /byok/{id}`. */
export async function showOneCredential(
  request: RouteCall,
  caller: Caller,
  services: AppServices,
): Promise<JsonObject> {
  return { data: showCredential(await ownCredential(request, caller, services)) };
}

/** `PATCH /byok/{id}`: a new `key` takes the place of the old one and renews the label. */
export async function changeCredential(
  request: RouteCall,
  caller: Caller,
  services: AppServices,
): Promise<JsonObject> {
  const { credentialForms } = services;
  const current = await ownCredential(request, caller, services);
  const body = readByokBody(request.body, 'change');
  const key = body.key === undefined ? undefined : readKey(body, current.provider, credentialForms);
  const change = readCredentialChange(body);
  await requireOwnKeys(newHashes(change, current), caller, services);
  const changed = await store(current, change, key, services);
  services.invalidate({ kind: 'credential', id: current.id });
  if (changed === undefined) throw noSuchCredential();
  return { data: showCredential(changed) };
}

/** `DELETE /byok/{id}`: wipes the secret; requests that have it already finish. */
export async function deleteCredential(
  request: RouteCall,
  caller: Caller,
  services: AppServices,
): Promise<JsonObject> {
  const { id } = await ownCredential(request, caller, services);
  const deleted = await services.storage.credentials.delete(id, services.clock.now());
  services.invalidate({ kind: 'credential', id });
  if (!deleted) throw noSuchCredential();
  return { deleted: true };
}

function store(
  current: ProviderCredential,
  change: CredentialChange,
  key: WellFormedCredential | undefined,
  { storage, vault }: AppServices,
): Promise<ProviderCredential | undefined> {
  // The record as it is in the same moment decides, not the one that was read before.
  const decide = (now: ProviderCredential) => {
    requireCompatible({
      isByokOnly: change.isByokOnly ?? now.isByokOnly,
      isFallback: change.isFallback ?? now.isFallback,
    });
    return key === undefined ? change : { ...change, label: credentialLabel(key) };
  };
  if (key === undefined) return storage.credentials.update(current.id, decide);
  return vault.seal(key.secret, current, (sealed) => storage.credentials.update(current.id, decide, sealed));
}

async function ownCredential(
  request: RouteCall,
  { account }: Caller,
  { storage }: AppServices,
): Promise<ProviderCredential> {
  const { id = '' } = request.params;
  const found = await storage.credentials.find(id.toLowerCase());
  if (found?.accountId !== account.id) throw noSuchCredential();
  return found;
}

/** Hashes that stay in a list are not asked about again: their keys may be gone by now (accounts-and-limits 5.3). */
function newHashes(
  { allowedKeyHashes }: CredentialChange,
  current: ProviderCredential,
): readonly string[] | null {
  const kept = new Set(current.allowedKeyHashes);
  return allowedKeyHashes?.filter((hash) => !kept.has(hash)) ?? null;
}

/** Rule 10: what is unknown, foreign, deleted or no inference key is not told apart. */
async function requireOwnKeys(
  hashes: readonly string[] | null,
  { account }: Caller,
  { storage }: AppServices,
): Promise<void> {
  const found = await Promise.all((hashes ?? []).map((hash) => storage.keys.findWithAccount(hash)));
  if (found.every((one) => one?.key.accountId === account.id && one.key.kind === 'inference')) return;
  throw malformed('allowed_api_key_hashes', 'holds a hash that is no inference key of this account');
}

function noSuchCredential(): HeadgateError {
  return new HeadgateError('not_found', 'There is no such credential in this account.');
}
