import type { NanoUsd } from '../core/money.ts';
import type { Role } from '../core/roles.ts';
import type { Account } from './accounts.ts';
import type { HasSecrets, KeySecret } from './key-secrets.ts';
import type { RequestDefaults } from './workspaces.ts';

/** How often a key's limit resets; null means never. */
export type LimitReset = 'daily' | 'weekly' | 'monthly' | null;

/** What a management key with scopes may do: `read` is calls of GET. */
export type KeyScope = 'read';

/** Optional settings of a key. Each new one needs its default in `plainKeySettings`. */
export interface KeySettings {
  /** Addresses and networks it may be used from, as `readAddressEntry` returns them; null is any. */
  readonly allowedIps: readonly string[] | null;
  /** Requests it may make in any minute; null is any number. */
  readonly requestsPerMinute: number | null;
  /** Tokens its requests may use in any minute, input and output together; null is any number. */
  readonly tokensPerMinute: number | null;
  /** Requests of it that may run at the same time; null is any number. */
  readonly parallel: number | null;
  /** Models it may use, as `readNamePattern` returns them; null is any. For inference keys. */
  readonly allowedModels: readonly string[] | null;
  /** What it may do; null is everything. For management keys. */
  readonly scopes: readonly KeyScope[] | null;
  /** What it is in its account; null is its owner. For management keys. */
  readonly role: Role | null;
  /** Whether what is said with it may be kept where its workspace wants that. For inference keys. */
  readonly contentLogging: 'inherit' | 'off';
}

/** The settings that limit how much is asked with a key. */
export type KeyRates = Pick<KeySettings, 'requestsPerMinute' | 'tokensPerMinute' | 'parallel'>;

/** The settings of a key nobody has set anything for. */
export const plainKeySettings: KeySettings = {
  allowedIps: null,
  allowedModels: null,
  scopes: null,
  role: null,
  requestsPerMinute: null,
  tokensPerMinute: null,
  parallel: null,
  contentLogging: 'inherit',
};

/** An API key without its secret (docs/spec/accounts.md#api-keys). All times are Unix milliseconds. */
export interface ApiKey extends KeySettings, HasSecrets {
  /** The public id: lowercase hex SHA-256 of its first secret, whether that still works or not. */
  readonly hash: string;
  readonly accountId: string;
  readonly workspaceId: string | null;
  readonly kind: 'inference' | 'management';
  readonly name: string;
  /** The printable part of its newest secret. */
  readonly label: string;
  readonly disabled: boolean;
  readonly limit: NanoUsd | null;
  readonly limitReset: LimitReset;
  readonly includeByokInLimit: boolean;
  readonly expiresAt: number | null;
  readonly creatorUserId: string | null;
  /** A partner's own id of the key's user. */
  readonly externalUser: string | null;
  readonly createdAt: number;
  readonly updatedAt: number | null;
  /** How it came to be: `derived` for the subject of an issuer, so that no secret opens it; absent for one that was made. */
  readonly origin?: 'derived';
}

/** What a management key is in its account: its owner, unless it was made as something less. */
export function roleOfKey({ role }: Pick<ApiKey, 'role'>): Role {
  return role ?? 'owner';
}

/** The spending of a key, all time and in the day, week and month that hold a moment. */
export interface SpendWindows {
  readonly total: NanoUsd;
  readonly daily: NanoUsd;
  readonly weekly: NanoUsd;
  readonly monthly: NanoUsd;
}

/** Credits charged to a key, and the list cost of what own provider credentials served. */
export interface KeySpend {
  readonly usage: SpendWindows;
  readonly byokUsage: SpendWindows;
}

/** The settings of a key that its owner can change. */
export type KeyChange = Partial<
  Pick<ApiKey, 'name' | 'disabled' | 'limit' | 'limitReset' | 'includeByokInLimit'> & KeySettings
>;

/** A new secret for a key. */
export interface KeyRotation {
  readonly fresh: KeySecret;
  /** When earlier secrets end, Unix milliseconds. */
  readonly endsAt: number;
}

/** Which keys of an account to list: its inference keys in one workspace, newest first. */
export interface KeyQuery {
  readonly accountId: string;
  readonly workspaceId: string;
  readonly includeDisabled: boolean;
  /** Of this user alone; null is of none, which finds nothing. Absent: of everyone. */
  readonly creatorUserId?: string | null;
  readonly offset: number;
  readonly limit: number;
}

/** A key with its account and workspace defaults. */
export interface KnownKey {
  readonly key: ApiKey;
  readonly account: Account;
  /** The defaults of its workspace; undefined without any. */
  readonly defaults?: RequestDefaults;
}

/** Whose a derived key is: a subject of an issuer, as a policy names them. */
export interface DerivedSubject {
  readonly accountId: string;
  readonly issuer: string;
  readonly policy: string;
  readonly subject: string;
}

/** Stores API keys. Deleted keys are never found again. */
export interface KeyStore {
  /**
   * @param externalKeyHash SHA-256 of a partner's own key for the same user; stored, never returned.
   * @throws HeadgateError `invalid_request` when the account has no such workspace, or no longer has it.
   */
  create(key: ApiKey, externalKeyHash?: string | null): Promise<void>;
  /** The key with its account and workspace defaults, or undefined. */
  findWithAccount(hash: string): Promise<KnownKey | undefined>;
  /** Keys whose hash begins with `prefix`, at most `limit`; an empty prefix finds all. Newest first. */
  listByPrefix(prefix: string, limit: number): Promise<readonly ApiKey[]>;
  /** Whether any management key was ever stored: false only before the first start. */
  hasManagementKey(): Promise<boolean>;
  list(query: KeyQuery): Promise<readonly ApiKey[]>;
  /** Changes the given members and returns the key after the change; undefined when there is none. */
  update(hash: string, change: KeyChange, now: number): Promise<ApiKey | undefined>;
  /** Gives a key another secret (`rotatedSecrets`) and returns it; undefined when there is none. */
  rotate(hash: string, rotation: KeyRotation): Promise<ApiKey | undefined>;
  /** The hash of the key that a secret belongs to, whether it still works or not; undefined for first secrets. */
  keyOfSecret(secretHash: string): Promise<string | undefined>;
  /** The hash of the key that was derived for a subject, deleted or not; undefined when there is none. */
  findDerived(subject: DerivedSubject): Promise<string | undefined>;
  /**
   * Stores a key for a subject who has none; the caller sees to it that nobody else does so at the same time.
   * @returns False when the policy has `most` subjects already.
   */
  derive(key: ApiKey, subject: DerivedSubject, most: number): Promise<boolean>;
  /** False when there is no such key. */
  delete(hash: string, now: number): Promise<boolean>;
}
