/** How an account pays (accounts-and-limits 1.1). */
export type BillingMode = 'prepaid' | 'invoice' | 'subscription' | 'enterprise';

/** Where an account lets its prompts go (accounts-and-limits 1.1): a ceiling for all it does. Undefined is no restriction. */
export interface AccountPrivacy {
  /** Providers by slug, name or tag; the only ones that may be used. */
  readonly allowedProviders?: readonly string[];
  readonly ignoredProviders?: readonly string[];
  /** Whether endpoints that cost something are out of the question when they train on prompts. */
  readonly forbidPaidTraining?: boolean;
  /** The same for endpoints that are free. */
  readonly forbidFreeTraining?: boolean;
  /** Whether endpoints that are free are out of the question when they publish prompts. */
  readonly forbidFreePublication?: boolean;
  /** Authors whose models may only be asked where nothing is kept. */
  readonly zeroRetentionAuthors?: readonly string[];
}

/** Who owns keys, money and credentials. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly kind: 'personal' | 'organization';
  readonly billingMode: BillingMode;
  readonly freeLimitExempt: boolean;
  readonly inflightExempt: boolean;
  /** Nothing of its requests and answers is kept anywhere, however briefly. */
  readonly zeroRetention: boolean;
  readonly privacy?: AccountPrivacy;
  readonly disabled: boolean;
  readonly defaultWorkspaceId: string | null;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** The settings of an account that its operator can change. */
export type AccountChange = Partial<
  Pick<
    Account,
    'name' | 'billingMode' | 'freeLimitExempt' | 'inflightExempt' | 'zeroRetention' | 'privacy' | 'disabled'
  >
>;

/** Keeps accounts. */
export interface AccountStore {
  /** Creates an account and its default workspace. */
  create(account: Account): Promise<void>;
  find(id: string): Promise<Account | undefined>;
  /** All accounts, oldest first. */
  list(): Promise<readonly Account[]>;
  /**
   * Changes what is given and returns the account as it is now, or undefined when there is none.
   * @param change A function is asked what changes of the account as it is in the same step.
   */
  update(
    id: string,
    change: AccountChange | ((current: Account) => AccountChange),
  ): Promise<Account | undefined>;
}
