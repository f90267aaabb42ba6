import type { Secret } from '../util/secret.ts';

/** An account's own credential for a provider, without its secret (docs/spec/credentials.md#fields). */
export interface ProviderCredential {
  /** A UUID. */
  readonly id: string;
  readonly accountId: string;
  /** Null means the whole account, not its default workspace. */
  readonly workspaceId: string | null;
  /** The provider's slug; never changes. */
  readonly provider: string;
  readonly name: string | null;
  /** The printable part of the secret (docs/spec/credentials.md#secrets-and-labels). */
  readonly label: string;
  readonly disabled: boolean;
  readonly isByokOnly: boolean;
  readonly isFallback: boolean;
  readonly isRequired: boolean;
  /** The owner's declaration about retention at the provider; null means none. */
  readonly declaredZdr: boolean | null;
  /** Null means no restriction; an empty list matches nothing. */
  readonly allowedModels: readonly string[] | null;
  readonly allowedKeyHashes: readonly string[] | null;
  readonly allowedUserIds: readonly string[] | null;
  /** Position among those of its workspace and provider, ascending from 0. */
  readonly sortOrder: number;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** A secret in its stored form: AES-256-GCM bound to account and credential, both texts in base64. */
export interface SealedSecret {
  /** With the authentication tag at its end. */
  readonly ciphertext: string;
  readonly nonce: string;
  /** The id of the master key that opens it. */
  readonly masterKeyId: string;
}

/** A credential that is not stored yet; the store assigns its position. */
export type NewCredential = Omit<ProviderCredential, 'sortOrder'>;

/** The members of a credential that its owner can change. */
export type CredentialChange = Partial<
  Omit<ProviderCredential, 'id' | 'accountId' | 'workspaceId' | 'provider' | 'createdAt'>
>;

/** Which credentials of an account to list. */
export interface CredentialQuery {
  readonly accountId: string;
  /** Those of this workspace and those of the whole account; undefined means all. */
  readonly workspaceId?: string;
  readonly provider?: string;
  readonly offset: number;
  readonly limit: number;
}

/** A sealed secret and its owner. */
export interface StoredSecret {
  readonly id: string;
  readonly accountId: string;
  readonly sealed: SealedSecret;
}

/**
 * Stores provider credentials. Deleted ones are never found again. Accepts secrets only under the current master key:
 * the first stored secret decides which that is, later `useMasterKey`.
 */
export interface CredentialStore {
  /**
   * Stores a credential after the others of its workspace and provider.
   * @throws StaleMasterKey.
   * @throws HeadgateError `invalid_request` when the account has no such workspace, or no longer has it.
   */
  create(credential: NewCredential, sealed: SealedSecret): Promise<ProviderCredential>;
  find(id: string): Promise<ProviderCredential | undefined>;
  /** By provider, position and age, with the total number. */
  list(query: CredentialQuery): Promise<{
    readonly credentials: readonly ProviderCredential[];
    readonly total: number;
  }>;
  /**
   * Changes a credential in one transaction: `decide` gets its current state and returns the change, or throws.
   * Undefined when there is none. @throws StaleMasterKey.
   */
  update(
    id: string,
    decide: (current: ProviderCredential) => CredentialChange,
    sealed?: SealedSecret,
  ): Promise<ProviderCredential | undefined>;
  /** Keeps the record and erases the secret. False when there is none. */
  delete(id: string, now: number): Promise<boolean>;
  /** The secret of a credential as currently stored. */
  sealed(id: string): Promise<SealedSecret | undefined>;

  /** The master key of new secrets; undefined while none was ever stored. */
  masterKeyId(): Promise<string | undefined>;
  /** Accepts new secrets only under this master key from now on. */
  useMasterKey(id: string): Promise<void>;
  /** At most `limit` secrets that are stored under another master key. */
  sealedUnderOthers(masterKeyId: string, limit: number): Promise<readonly StoredSecret[]>;
  /**
   * Replaces one sealed form of a secret by another; false when the first is no longer stored.
   * @throws StaleMasterKey.
   */
  replaceSealed(id: string, before: SealedSecret, after: SealedSecret): Promise<boolean>;

  /** The installation's secret for what clients carry between requests; undefined before the first start. */
  carrierSecret(): Promise<SealedSecret | undefined>;
  /** Replaces that secret's stored form; false when the first is no longer stored. Undefined means none. */
  replaceCarrierSecret(before: SealedSecret | undefined, after: SealedSecret | undefined): Promise<boolean>;
}

/** Thrown by a store for a secret under a master key that is not the current one. */
export class StaleMasterKey extends Error {
  override readonly name = 'StaleMasterKey';
}

/** Opens the secrets of stored credentials for calls to the provider. */
export interface CredentialSecrets {
  /**
   * The secret of a credential. Cached in memory for a few seconds, always as the same object.
   * @throws HeadgateError `upstream_credential` when it no longer exists or cannot be decrypted; the message names
   * the credential by its label and contains nothing of the secret.
   */
  open(credential: Pick<ProviderCredential, 'id' | 'accountId' | 'label'>): Promise<Secret>;
}

/** Seals secrets and opens them again. */
export interface CredentialVault extends CredentialSecrets {
  /**
   * Stores a secret sealed with a nonce of its own.
   * @param store Stores it; called again when it throws StaleMasterKey because a rotation began meanwhile.
   */
  seal<Result>(
    secret: Secret,
    owner: Pick<ProviderCredential, 'id' | 'accountId'>,
    store: (sealed: SealedSecret) => Promise<Result>,
  ): Promise<Result>;
  /** Drops the cached secret of a changed or deleted credential; those of all, when none is named. */
  forget(credentialId?: string): void;
}
