import type { Model } from '../../core/catalogue.ts';
import { HeadgateError } from '../../core/errors.ts';
import { isForKey } from '../../ports/credential-scope.ts';
import type { ProviderCredential } from '../../ports/credentials.ts';
import type { ApiKey } from '../../ports/keys.ts';
import { malformed } from '../../schema/fault.ts';
import type { KeyActor } from '../actor.ts';
import { notingRefusal } from '../audit/noting-refusal.ts';
import { findKey } from '../keys/find-key.ts';
import { makeChange } from '../make-change.ts';
import type { Uses, UsesToChange } from '../services.ts';
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

/** How many keys of a workspace, and how many workspaces, are looked at. */
const mostKeys = 100;
const mostWorkspaces = 20;

type KeyUses = Uses<'keys' | 'workspaces', 'clock'>;

/**
 * The inference key that a test call of a credential runs as: the one named, else the newest that may use the credential.
 * @throws HeadgateError `not_found`; `invalid_request` when the key named, or every key, may not use it.
 */
async function chooseTestKey(
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
