import type { Model } from '../../core/catalogue.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { ProviderCredential } from '../../ports/credentials.ts';
import type { ApiKey } from '../../ports/keys.ts';
import type { KeyActor } from '../actor.ts';
import { notingRefusal } from '../audit/noting-refusal.ts';
import { makeChange } from '../make-change.ts';
import type { UsesToChange } from '../services.ts';
import { chooseTestKey } from './choose-test-key.ts';
import { findCredential } from './find-credential.ts';

/** Which credential to try, and with what. */
export interface CredentialTrial {
  readonly id: string;
  /** The inference key to run as; the newest that may use the credential by default. */
  readonly keyHash?: string | undefined;
}

/** Makes the call of a trial. */
export interface TrialCaller<Result> {
  /** Chooses the model to ask. @throws HeadgateError `invalid_request` when there is none. */
  choose(credential: ProviderCredential, key: ApiKey): Model | Promise<Model>;
  /** Asks it with the credential and no other. */
  ask(credential: ProviderCredential, key: ApiKey, model: Model): Promise<Result>;
}

/**
 * Makes one short call with a credential, on the account of its owner, and notes who asked for it
 * (docs/spec/credentials.md#testing).
 * @throws HeadgateError `not_found`; `invalid_request` when the credential is disabled or there is nothing to try it with.
 */
export async function tryCredential<Result>(
  actor: KeyActor,
  { id, keyHash }: CredentialTrial,
  { choose, ask }: TrialCaller<Result>,
  services: UsesToChange<'accounts' | 'credentials' | 'keys' | 'workspaces'>,
): Promise<Result> {
  const action = 'credential.test';
  return notingRefusal({ actor, action, id }, services, async () => {
    const credential = await findCredential(actor, id, services);
    if (credential.disabled) {
      throw new HeadgateError('invalid_request', 'This credential is disabled. Enable it, then test it.');
    }
    const key = await chooseTestKey(actor, credential, keyHash, services);
    const model = await choose(credential, key);
    const { accountId, workspaceId } = credential;
    const tested = { actor, action, id: credential.id, accountId, workspaceId } as const;
    const after = () => ({ model: model.id, key: key.label });
    await makeChange({ ...tested, after }, services, async () => {});
    return ask(credential, key, model);
  });
}
