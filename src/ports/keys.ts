import type { NanoUsd } from '../core/money.ts';
import type { Account } from './accounts.ts';
import type { RequestDefaults } from './workspaces.ts';

/** How often a key's limit starts anew; null is never. */
export type LimitReset = 'daily' | 'weekly' | 'monthly' | null;

/** What a management key with scopes may do: `read` is calls of GET. */
export type KeyScope = 'read';

/** Optional settings of a key. Whoever adds one says in `plainKeySettings` what holds where it is not set. */
export interface KeySettings {
  /** Addresses and networks it may be used from, as `readAddressEntry` returns them; null is any. */
  readonly allowedIps: readonly string[] | null;
  /** Models it may use, as `readNamePattern` returns them; null is any. For inference keys. */
  readonly allowedModels: readonly string[] | null;
  /** What it may do; null is everything. For management keys. */
  readonly scopes: readonly KeyScope[] | null;
}

/** The settings of a key nobody has set anything for. */
export const plainKeySettings: KeySettings = { allowedIps: null, allowedModels: null, scopes: null };

/** An API key without its secret (accounts-and-limits 1.4). All times are Unix milliseconds. */
export interface ApiKey extends KeySettings {
  /** Lowercase hex SHA-256 of the raw key; the public id. */
  readonly hash: string;
  readonly accountId: string;
  readonly workspaceId: string | null;
  readonly kind: 'inference' | 'management';
  readonly name: string;
  readonly label: string;
  readonly disabled: boolean;
  readonly limit: NanoUsd | null;
  readonly limitReset: LimitReset;
  readonly includeByokInLimit: boolean;
  readonly expiresAt: number | null;
  readonly creatorUserId: string | null;
  /** A partner's own id of who uses the key. */
  readonly externalUser: string | null;
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

/** What a key spent, all time and in the current UTC day, week (from Monday) and month. */
export interface SpendWindows {
  readonly total: NanoUsd;
  readonly daily: NanoUsd;
  readonly weekly: NanoUsd;
  readonly monthly: NanoUsd;
}

/** Credits charged to a key, and the list price of what its own provider credentials served. */
export interface KeySpend {
  readonly usage: SpendWindows;
  readonly byokUsage: SpendWindows;
}

/** The settings of a key that its owner can change. */
export type KeyChange = Partial<
  Pick<ApiKey, 'name' | 'disabled' | 'limit' | 'limitReset' | 'includeByokInLimit'> & KeySettings
>;

/** Which keys of an account to list: its inference keys in one workspace, newest first. */
export interface KeyQuery {
  readonly accountId: string;
  readonly workspaceId: string;
  readonly includeDisabled: boolean;
  readonly offset: number;
  readonly limit: number;
}

/** A key with what belongs to it. */
export interface KnownKey {
  readonly key: ApiKey;
  readonly account: Account;
  /** What its workspace presumes; undefined when that presumes nothing. */
  readonly defaults?: RequestDefaults;
}

/** Keeps API keys. Deleted keys are never found again. */
export interface KeyStore {
  /**
   * @param externalKeyHash SHA-256 of a partner's own key for the same user; kept, never given out.
   * @throws HeadgateError `invalid_request` when the account has no such workspace, or none any more.
   */
  create(key: ApiKey, externalKeyHash?: string | null): Promise<void>;
  /** The key with what belongs to it, or undefined. */
  findWithAccount(hash: string): Promise<KnownKey | undefined>;
  /** Keys whose hash begins with `prefix`, at most `limit`; an empty prefix finds all. Newest first. */
  listByPrefix(prefix: string, limit: number): Promise<readonly ApiKey[]>;
  /** Whether any management key was ever stored: false only on a database never started before. */
  hasManagementKey(): Promise<boolean>;
  list(query: KeyQuery): Promise<readonly ApiKey[]>;
  /** Changes what is given and returns the key as it is now, or undefined when there is none. */
  update(hash: string, change: KeyChange, now: number): Promise<ApiKey | undefined>;
  /** False when there is no such key. */
  delete(hash: string, now: number): Promise<boolean>;
}
