import type { Secret } from '../util/secret.ts';

/** An account's own credential for a provider, without its secret (accounts-and-limits 1.6). */
export interface ProviderCredential {
  /** A UUID. */
  readonly id: string;
  readonly accountId: string;
  /** Null is the whole account, not its default workspace. */
  readonly workspaceId: string | null;
  /** The provider's slug; never changes. */
  readonly provider: string;
  readonly name: string | null;
  /** What of the secret may be shown (section 6.3). */
  readonly label: string;
  readonly disabled: boolean;
  readonly isByokOnly: boolean;
  readonly isFallback: boolean;
  readonly isRequired: boolean;
  /** What the owner says of retention at the provider; null is nothing. */
  readonly declaredZdr: boolean | null;
  /** Null is no restriction; an empty list matches nothing. */
  readonly allowedModels: readonly string[] | null;
  readonly allowedKeyHashes: readonly string[] | null;
  readonly allowedUserIds: readonly string[] | null;
  /** Place among those of its workspace and provider, ascending from 0. */
  readonly sortOrder: number;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** A secret as the database keeps it: AES-256-GCM bound to account and credential, both texts in base64. */
export interface SealedSecret {
  /** With the authentication tag at its end. */
  readonly ciphertext: string;
  readonly nonce: string;
  /** Which master key opens it. */
  readonly masterKeyId: string;
}

/** A credential not stored yet; the store gives it its place. */
export type NewCredential = Omit<ProviderCredential, 'sortOrder'>;

/** What of a credential its owner can change. */
export type CredentialChange = Partial<
  Omit<ProviderCredential, 'id' | 'accountId' | 'workspaceId' | 'provider' | 'createdAt'>
>;

/** Which credentials of an account to list. */
export interface CredentialQuery {
  readonly accountId: string;
  /** Those of this workspace and those of the whole account; undefined is all. */
  readonly workspaceId?: string;
  readonly provider?: string;
  readonly offset: number;
  readonly limit: number;
}

/** Whose secret it is, and how it is kept. */
export interface StoredSecret {
  readonly id: string;
  readonly accountId: string;
  readonly sealed: SealedSecret;
}

/**
 * Keeps provider credentials. Deleted ones are never found again. Secrets are taken under the current master key
 * alone: the first one stored says which that is, later `useMasterKey`.
 */
export interface CredentialStore {
  /**
   * Stores a credential behind the others of its workspace and provider.
   * @throws StaleMasterKey.
   * @throws HeadgateError `invalid_request` when the account has no such workspace, or none any more.
   */
  create(credential: NewCredential, sealed: SealedSecret): Promise<ProviderCredential>;
  find(id: string): Promise<ProviderCredential | undefined>;
  /** By provider, place and age, with how many there are in all. */
  list(query: CredentialQuery): Promise<{
    readonly credentials: readonly ProviderCredential[];
    readonly total: number;
  }>;
  /**
   * Changes a credential in one step: `decide` sees it as it is and says what changes, or throws. Undefined when
   * there is none. @throws StaleMasterKey.
   */
  update(
    id: string,
    decide: (current: ProviderCredential) => CredentialChange,
    sealed?: SealedSecret,
  ): Promise<ProviderCredential | undefined>;
  /** Keeps the record and wipes the secret. False when there is none. */
  delete(id: string, now: number): Promise<boolean>;
  /** The secret of a credential as it is stored now. */
  sealed(id: string): Promise<SealedSecret | undefined>;

  /** The master key secrets are stored under; undefined while none was ever stored. */
  masterKeyId(): Promise<string | undefined>;
  /** From now on secrets are taken under this master key alone. */
  useMasterKey(id: string): Promise<void>;
  /** Some of the secrets that are stored under another master key than this one, at most `limit`. */
  sealedUnderOthers(masterKeyId: string, limit: number): Promise<readonly StoredSecret[]>;
  /**
   * Puts one form of a secret in the place of another; false when that is not stored any more.
   * @throws StaleMasterKey.
   */
  replaceSealed(id: string, before: SealedSecret, after: SealedSecret): Promise<boolean>;
}

/** Thrown by a store that was given a secret under a master key that is not the current one. */
export class StaleMasterKey extends Error {
  override readonly name = 'StaleMasterKey';
}

/** Gives out the secrets of stored credentials, to whoever is about to call the provider. */
export interface CredentialSecrets {
  /**
   * The secret of a credential. Kept in memory for seconds at most, and the same object for as long.
   * @throws HeadgateError `upstream_credential` when there is none any more or when it cannot be decrypted; the
   *   message names the credential by its label and holds nothing of the secret.
   */
  open(credential: Pick<ProviderCredential, 'id' | 'accountId' | 'label'>): Promise<Secret>;
}

/** Takes secrets in and gives them out again. */
export interface CredentialVault extends CredentialSecrets {
  /**
   * Has a secret stored sealed, with a nonce of its own.
   * @param store Stores it; called again when it throws StaleMasterKey because a rotation began meanwhile.
   */
  seal<Result>(
    secret: Secret,
    owner: Pick<ProviderCredential, 'id' | 'accountId'>,
    store: (sealed: SealedSecret) => Promise<Result>,
  ): Promise<Result>;
  /** Drops what is kept in memory of a credential that was changed or deleted. */
  forget(credentialId: string): void;
}
