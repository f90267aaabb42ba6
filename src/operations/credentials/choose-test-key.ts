import { HeadgateError } from '../../core/errors.ts';
import { isForKey } from '../../ports/credential-scope.ts';
import type { ProviderCredential } from '../../ports/credentials.ts';
import type { ApiKey } from '../../ports/keys.ts';
import { malformed } from '../../schema/fault.ts';
import type { KeyActor } from '../actor.ts';
import { findKey } from '../keys/find-key.ts';
import type { Uses } from '../services.ts';

/** How many keys of a workspace, and how many workspaces, are looked at. */
const mostKeys = 100;
const mostWorkspaces = 20;

type KeyUses = Uses<'keys' | 'workspaces', 'clock'>;

/**
 * The inference key that a test call of a credential runs as: the one named, else the newest that may use the credential.
 * @throws HeadgateError `not_found`; `invalid_request` when the key named, or every key, may not use it.
 */
export async function chooseTestKey(
  actor: KeyActor,
  credential: ProviderCredential,
  named: string | undefined,
  services: KeyUses,
): Promise<ApiKey> {
  const now = services.clock.now();
  const mayUse = (key: ApiKey) => isLive(key, now) && isForKey(credential, key);
  if (named !== undefined) {
    const key = await findKey(actor, named, services);
    if (mayUse(key)) return key;
    throw malformed('key_hash', 'names a key that may not use this credential, or is disabled or expired');
  }
  for await (const keys of keysFor(credential, services)) {
    const found = keys.find(mayUse);
    if (found !== undefined) return found;
  }
  throw new HeadgateError(
    'invalid_request',
    'A test runs as an inference key, and no enabled key may use this credential. Create a key in its workspace, or change which keys and users the credential is for.',
  );
}

async function* keysFor(
  { accountId, workspaceId, allowedKeyHashes }: ProviderCredential,
  { storage }: KeyUses,
): AsyncGenerator<readonly ApiKey[]> {
  if (allowedKeyHashes !== null) {
    const known = await Promise.all(allowedKeyHashes.map((hash) => storage.keys.findWithAccount(hash)));
    yield known.flatMap((one) => (one === undefined ? [] : [one.key]));
    return;
  }
  const page = { offset: 0, limit: mostWorkspaces };
  const ids =
    workspaceId === null
      ? (await storage.workspaces.list({ accountId, ...page })).workspaces.map(({ id }) => id)
      : [workspaceId];
  for (const id of ids) {
    const query = { accountId, workspaceId: id, includeDisabled: false, offset: 0, limit: mostKeys };
    yield await storage.keys.list(query);
  }
}

function isLive({ kind, disabled, expiresAt }: ApiKey, now: number): boolean {
  return kind === 'inference' && !disabled && (expiresAt === null || expiresAt > now);
}
