import type { ProviderCredential } from '../../ports/credentials.ts';
import type { Actor } from '../actor.ts';
import { notingRefusal } from '../audit/noting-refusal.ts';
import { makeChange } from '../make-change.ts';
import type { UsesToChange } from '../services.ts';
import { credentialChange } from './credential-change.ts';
import { findCredential, noSuchCredential } from './find-credential.ts';

/** Takes a credential out of use, or into use again. Needs no vault. Refuses like `findCredential`. */
export async function disableCredential(
  actor: Actor,
  input: { readonly id: string; readonly disabled: boolean },
  services: UsesToChange<'accounts' | 'credentials'>,
): Promise<ProviderCredential> {
  const action = 'credential.update';
  const { id, disabled } = input;
  return notingRefusal({ actor, action, id }, services, async () => {
    const before = await findCredential(actor, id, services);
    return makeChange({ actor, action, ...credentialChange(before) }, services, async ({ credentials }) => {
      const changed = await credentials.update(before.id, () => ({ disabled }));
      if (changed === undefined) throw noSuchCredential(actor, id);
      return changed;
    });
  });
}
