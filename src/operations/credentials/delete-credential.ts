import type { ProviderCredential } from '../../ports/credentials.ts';
import type { Actor } from '../actor.ts';
import { notingRefusal } from '../audit/noting-refusal.ts';
import { makeChange } from '../make-change.ts';
import type { UsesToChange } from '../services.ts';
import { credentialChange } from './credential-change.ts';
import { findCredential, noSuchCredential } from './find-credential.ts';

/**
 * Deletes a credential, wipes its secret and returns what it was. Requests that have the secret already finish.
 * Refuses like `findCredential`.
 */
export async function deleteCredential(
  actor: Actor,
  id: string,
  services: UsesToChange<'accounts' | 'credentials'>,
): Promise<ProviderCredential> {
  const action = 'credential.delete';
  return notingRefusal({ actor, action, id }, services, async () => {
    const before = await findCredential(actor, id, services);
    await makeChange({ actor, action, ...credentialChange(before) }, services, async ({ credentials }) => {
      if (!(await credentials.delete(before.id, services.clock.now()))) throw noSuchCredential(actor, id);
    });
    return before;
  });
}
