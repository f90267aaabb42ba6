import type { RateLimit } from '../core/limits.ts';
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
    | 'privacy'
    | 'rates'
    | 'pluginDefaults'
    | 'disabled'
  >
>;

/** Where an account is in the order of accounts. */
export type AccountPlace = Pick<Account, 'createdAt' | 'id'>;

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
}
