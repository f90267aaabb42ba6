import type { ProviderCredential } from './credentials.ts';
import type { ApiKey } from './keys.ts';

/** Whether a credential is for requests of a key, whatever the model (docs/spec/credentials.md#selection). */
export function isForKey(
  { accountId, workspaceId, allowedKeyHashes, allowedUserIds }: ProviderCredential,
  key: Pick<ApiKey, 'accountId' | 'workspaceId' | 'hash' | 'creatorUserId'>,
): boolean {
  return (
    accountId === key.accountId &&
    (workspaceId === null || workspaceId === key.workspaceId) &&
    (allowedKeyHashes?.includes(key.hash) ?? true) &&
    (allowedUserIds === null || (key.creatorUserId !== null && allowedUserIds.includes(key.creatorUserId)))
  );
}
