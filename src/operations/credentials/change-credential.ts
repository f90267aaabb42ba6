import type { CredentialChange, ProviderCredential, SealedSecret } from '../../ports/credentials.ts';
import type { Actor } from '../actor.ts';
import { notingRefusal } from '../audit/noting-refusal.ts';
import { changedSecret, makeChange } from '../make-change.ts';
import type { UsesToChange } from '../services.ts';
import { credentialChange } from './credential-change.ts';
import { credentialLabel } from './credential-label.ts';
import { findCredential, noSuchCredential } from './find-credential.ts';
import { readCredential, requireCompatible } from './read-credential.ts';
import { requireOwnKeys } from './require-own-keys.ts';

/** A credential and what of it changes; what is absent stays. Members are read in this order, after it was found. */
export interface ChangedCredential {
  /** For the operator the beginning of an id is enough. */
  readonly id: string;
  /** A credential that replaces the one stored and renews the label. */
  readonly secret?: string | undefined;
  readonly change: Omit<CredentialChange, 'label'>;
}

/**
 * Changes a credential.
 * @throws HeadgateError `not_found`; `invalid_request` for a rule of docs/spec/credentials.md#creating-a-credential
 * that it would break.
 */
export async function changeCredential(
  actor: Actor,
  input: ChangedCredential,
  services: ChangeCredentialServices,
): Promise<ProviderCredential> {
  const attempt = { actor, action: 'credential.update', id: input.id } as const;
  return notingRefusal(attempt, services, () => change(actor, input, services));
}

type ChangeCredentialServices = UsesToChange<
  'accounts' | 'keys' | 'credentials',
  'vault' | 'credentialForms'
>;

async function change(
  actor: Actor,
  input: ChangedCredential,
  services: ChangeCredentialServices,
): Promise<ProviderCredential> {
  const before = await findCredential(actor, input.id, services);
  const { id, accountId, provider } = before;
  const { vault, credentialForms } = services;
  const { secret } = input;
  const read = secret === undefined ? undefined : readCredential(actor, provider, secret, credentialForms);
  const { change } = input;
  await requireOwnKeys(newHashes(change, before), accountId, services);
  // Sees the record in the transaction that changes it, which may not be the one that was read before.
  const decide = (now: ProviderCredential): CredentialChange => {
    requireCompatible({
      isByokOnly: change.isByokOnly ?? now.isByokOnly,
      isFallback: change.isFallback ?? now.isFallback,
    });
    return read === undefined ? change : { ...change, label: credentialLabel(read) };
  };
  const store = (sealed?: SealedSecret) =>
    makeChange(
      {
        actor,
        action: 'credential.update',
        ...credentialChange(before),
        ...(sealed === undefined ? {} : { after: () => ({ secret: changedSecret }) }),
      },
      services,
      async ({ credentials }) => {
        const changed = await credentials.update(id, decide, sealed);
        if (changed === undefined) throw noSuchCredential(actor, input.id);
        return changed;
      },
    );
  return read === undefined ? store() : vault.seal(read.secret, before, store);
}

/** Hashes that are new in the list. The others were checked when they were added; their keys may be deleted by now. */
function newHashes({ allowedKeyHashes }: CredentialChange, before: ProviderCredential) {
  const kept = new Set(before.allowedKeyHashes);
  return allowedKeyHashes?.filter((hash) => !kept.has(hash)) ?? null;
}
