import type { RateLimit } from '../core/limits.ts';
import type { NanoUsd } from '../core/money.ts';
import type { PluginDefaults } from '../core/plugin-defaults.ts';

/** How an account pays (docs/spec/accounts.md#accounts). */
export type BillingMode = 'prepaid' | 'invoice' | 'subscription' | 'enterprise';

/**
 * Where an account's prompts may go (docs/spec/accounts.md#accounts): an upper limit for all its requests. Undefined
 * means no restriction.
 */
export interface AccountPrivacy {
  /** Providers by slug, name or tag; the only ones that may be used. */
  readonly allowedProviders?: readonly string[];
  readonly ignoredProviders?: readonly string[];
  /** Whether to exclude paid endpoints that train on prompts. */
  readonly forbidPaidTraining?: boolean;
  /** Whether to exclude free endpoints that train on prompts. */
  readonly forbidFreeTraining?: boolean;
  /** Whether to exclude free endpoints that publish prompts. */
  readonly forbidFreePublication?: boolean;
  /** Authors whose models may only be called where nothing is retained. */
  readonly zeroRetentionAuthors?: readonly string[];
}

/** The owner of keys, money and credentials. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly kind: 'personal' | 'organization';
  readonly billingMode: BillingMode;
  readonly freeLimitExempt: boolean;
  readonly inflightExempt: boolean;
  /** Nothing of its requests and answers is stored anywhere, however briefly. */
  readonly zeroRetention: boolean;
  /** Whether its workspaces may have what was said kept (docs/spec/content.md). */
  readonly contentLogging: boolean;
  readonly privacy?: AccountPrivacy;
  /** Limits of its own; each replaces the one that every account has. */
  readonly rates?: RateLimit;
  /** Plugins that are on for requests that do not name them. */
  readonly pluginDefaults?: PluginDefaults;
  readonly disabled: boolean;
  readonly defaultWorkspaceId: string | null;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** The settings of an account that its operator can change. */
export type AccountChange = Partial<
  Pick<
    Account,
    | 'name'
    | 'billingMode'
    | 'freeLimitExempt'
    | 'inflightExempt'
    | 'zeroRetention'
    | 'contentLogging'
    | 'privacy'
    | 'rates'
    | 'pluginDefaults'
    | 'disabled'
  >
>;

/** Where an account is in the order of accounts. */
export type AccountPlace = Pick<Account, 'createdAt' | 'id'>;

/** What is known of an account after everything that belonged to it was deleted: sums, for the operator's accounting. */
export interface PurgedSums {
  readonly charged: NanoUsd;
  /** What was given and taken, by type of entry. */
  readonly entries: readonly { readonly type: string; readonly amount: NanoUsd }[];
  /** Its calls by month of UTC, such as 2026-11. */
  readonly months: readonly { readonly month: string; readonly calls: number; readonly charged: NanoUsd }[];
}

/** Stores accounts. */
export interface AccountStore {
  /** Creates an account and its default workspace. */
  create(account: Account): Promise<void>;
  find(id: string): Promise<Account | undefined>;
  /** All accounts, oldest first. */
  list(): Promise<readonly Account[]>;
  /** Some of them: those that follow a place. */
  page(after: AccountPlace | undefined, limit: number): Promise<readonly Account[]>;
  /**
   * Changes the given members and returns the account after the change; undefined when there is none.
   * @param change If it is a function, it gets the current account in the same transaction and returns the change.
   */
  update(
    id: string,
    change: AccountChange | ((current: Account) => AccountChange),
  ): Promise<Account | undefined>;
  /**
   * Deletes at most so many records of an account of each kind (calls, refusals, audit entries), but not its sums.
   * @returns Whether there may be more.
   */
  thin(id: string, limit: number): Promise<boolean>;
  /**
   * Deletes an account and everything that names it, except contents of files in a directory.
   * @returns Its sums, as they were; undefined where nothing named it.
   */
  purge(id: string): Promise<PurgedSums | undefined>;
}
