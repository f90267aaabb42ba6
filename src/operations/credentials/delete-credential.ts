import type { ProviderCredential } from '../../ports/credentials.ts';
import type { Actor } from '../actor.ts';
import { makeChange } from '../make-change.ts';
import type { Uses } from '../services.ts';
import { findCredential, noSuchCredential } from './find-credential.ts';

/**
 * Deletes a credential, wipes its secret and returns what it was. Requests that have the secret already finish.
 * Refuses like `findCredential`.
 */
export async function deleteCredential(
  actor: Actor,
  id: string,
  services: Uses<'accounts' | 'credentials', 'clock' | 'invalidate'>,
): Promise<ProviderCredential> {
  const before = await findCredential(actor, id, services);
  const { accountId } = before;
  const deleted = await makeChange(
    {
      actor,
      action: 'credential.delete',
      id: before.id,
      accountId,
      before,
      outdates: { kind: 'credential', id: before.id },
    },
    services,
    ({ credentials }) => credentials.delete(before.id, services.clock.now()),
  );
  if (!deleted) throw noSuchCredential(actor, id);
  return before;
}
