import type { ProviderCredential } from '../../ports/credentials.ts';
import { credentialLook } from '../audit/look-at.ts';

/** What every change of a credential says of it to `makeChange`. */
export function credentialChange({
  id,
  accountId,
  workspaceId,
}: Pick<ProviderCredential, 'id' | 'accountId' | 'workspaceId'>) {
  const outdates = { kind: 'credential', id } as const;
  return { id, accountId, workspaceId, look: credentialLook(id), outdates };
}
