import type { ProviderCredential } from '../../ports/credentials.ts';
import type { Actor } from '../actor.ts';
import { makeChange } from '../make-change.ts';
import type { Uses } from '../services.ts';
import { findCredential, noSuchCredential } from './find-credential.ts';

/** Takes a credential out of use, or into use again. Needs no vault. Refuses like `findCredential`. */
export async function disableCredential(
  actor: Actor,
  input: { readonly id: string; readonly disabled: boolean },
  services: Uses<'accounts' | 'credentials', 'invalidate'>,
): Promise<ProviderCredential> {
  const before = await findCredential(actor, input.id, services);
  const { id, accountId } = before;
  const { disabled } = input;
  const changed = await makeChange(
    { actor, action: 'credential.update', id, accountId, before, outdates: { kind: 'credential', id } },
    services,
    ({ credentials }) => credentials.update(id, () => ({ disabled })),
  );
  if (changed === undefined) throw noSuchCredential(actor, input.id);
  return changed;
}
