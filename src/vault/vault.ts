import { HeadgateError } from '../core/errors.ts';
import {
  type CredentialStore,
  type CredentialVault,
  type ProviderCredential,
  type SealedSecret,
  StaleMasterKey,
} from '../ports/credentials.ts';
import type { MasterKey } from '../secrets/master-key.ts';
import type { Secret } from '../util/secret.ts';
import type { KeySource } from './key-source.ts';
import { remedyOfLoss } from './rotate-master-key.ts';
import { type SealPurpose, type SecretOwner, seal, unseal } from './sealing.ts';

/** Milliseconds for which a decrypted secret stays in memory. */
const keptFor = 5_000;
/** One rotation may run meanwhile, hardly two. */
const maxTries = 5;

/** The dependencies of a vault. */
export interface VaultParts {
  readonly keys: KeySource;
  readonly store: Pick<CredentialStore, 'sealed' | 'masterKeyId'>;
  /** Called with the reason why a stored secret cannot be opened, which contains nothing of it. */
  readonly onFailure: (credentialId: string, reason: unknown) => void;
}

/** Seals and opens the secrets of stored credentials (docs/spec/credentials.md#secrets-and-labels). */
export class Vault implements CredentialVault {
  readonly #keys: KeySource;
  readonly #store: VaultParts['store'];
  readonly #onFailure: VaultParts['onFailure'];
  readonly #opened = new Map<string, Promise<Secret>>();

  constructor({ keys, store, onFailure }: VaultParts) {
    this.#keys = keys;
    this.#store = store;
    this.#onFailure = onFailure;
  }

  async seal<Result>(
    secret: Secret,
    owner: SecretOwner,
    store: (sealed: SealedSecret) => Promise<Result>,
  ): Promise<Result> {
    return sealAndStore(secret, owner, { keys: this.#keys, store: this.#store }, store);
  }

  open(credential: Pick<ProviderCredential, 'id' | 'accountId' | 'label'>): Promise<Secret> {
    const { id } = credential;
    const known = this.#opened.get(id);
    if (known !== undefined) return known;
    const opening = this.#openAnew(credential);
    this.#opened.set(id, opening);
    const drop = () => {
      if (this.#opened.get(id) === opening) this.#opened.delete(id);
    };
    opening.then(() => setTimeout(drop, keptFor).unref(), drop);
    return opening;
  }

  forget(credentialId?: string): void {
    if (credentialId === undefined) this.#opened.clear();
    else this.#opened.delete(credentialId);
  }

  async #openAnew(credential: Pick<ProviderCredential, 'id' | 'accountId' | 'label'>): Promise<Secret> {
    const { id, label } = credential;
    let sealed = await this.#store.sealed(id);
    if (sealed === undefined) throw unusable(label, 'it was deleted');
    for (let tries = 1; ; tries += 1) {
      const key = await this.#keys.find(sealed.masterKeyId);
      if (key !== undefined) return this.#unseal(sealed, credential, key);
      // A rotation that ended meanwhile has sealed the secret again and removed the key.
      const again = await this.#store.sealed(id);
      if (again?.masterKeyId === sealed.masterKeyId || tries === maxTries) {
        const reason = `the secret is sealed under master key ${sealed.masterKeyId}, which is not here`;
        throw this.#failed(credential, new Error(reason));
      }
      if (again === undefined) throw unusable(label, 'it was deleted');
      sealed = again;
    }
  }

  #unseal(
    sealed: SealedSecret,
    credential: Pick<ProviderCredential, 'id' | 'accountId' | 'label'>,
    key: MasterKey,
  ): Secret {
    try {
      return unseal(sealed, credential, key);
    } catch (cause) {
      const reason = 'the stored secret was altered, or it belongs to another account or credential';
      throw this.#failed(credential, new Error(reason, { cause }));
    }
  }

  #failed({ id, label }: Pick<ProviderCredential, 'id' | 'label'>, reason: Error): HeadgateError {
    this.#onFailure(id, reason);
    return unusable(label, 'it cannot be decrypted', reason);
  }
}

/** The master keys, and which of them is the current one. */
export interface SealingKeys {
  readonly keys: KeySource;
  readonly store: Pick<CredentialStore, 'masterKeyId'>;
}

/**
 * Seals a secret and stores it; once more where a rotation began meanwhile.
 * @param store Throws StaleMasterKey in that case.
 */
export async function sealAndStore<Result>(
  secret: Secret,
  owner: SecretOwner,
  sealing: SealingKeys,
  store: (sealed: SealedSecret) => Promise<Result>,
  purpose?: SealPurpose,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await store(seal(secret, owner, await currentKey(sealing), purpose));
    } catch (error) {
      if (!(error instanceof StaleMasterKey) || tries === maxTries) throw error;
    }
  }
}

/** The key that seals new secrets, which another process may just have changed. */
async function currentKey({ keys, store }: SealingKeys): Promise<MasterKey> {
  const id = await store.masterKeyId();
  if (id === undefined) return keys.current();
  const key = await keys.find(id);
  if (key !== undefined) return key;
  const reason = `secrets are stored under master key ${id}, which is not here: ${remedyOfLoss}`;
  throw new HeadgateError('server', undefined, { cause: new Error(reason) });
}

function unusable(label: string, why: string, cause?: unknown): HeadgateError {
  return new HeadgateError('upstream_credential', `The credential ${label} cannot be used: ${why}.`, {
    cause,
  });
}
