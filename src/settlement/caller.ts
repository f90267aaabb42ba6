import type { Account } from '../ports/accounts.ts';
import type { ProviderCredential } from '../ports/credentials.ts';
import type { ApiKey, KeySpend } from '../ports/keys.ts';
import type { Balance } from '../ports/ledger.ts';
import type { RequestDefaults } from '../ports/workspaces.ts';

/**
 * Who asks, and how their money stands. `spend` and `funds` are live: they hold every charge booked in this
 * process, so whoever decides on them reads them at that moment.
 */
export interface Caller {
  readonly key: ApiKey;
  readonly account: Account;
  /** What the key spent; only kept up for keys with a limit. */
  readonly spend: KeySpend;
  /** Of the account, over all its keys. */
  readonly funds: Balance;
  /** The account's own provider credentials that are enabled, of every workspace, by provider and place. */
  readonly credentials: readonly ProviderCredential[];
  /** What the key's workspace presumes of its requests. */
  readonly defaults?: RequestDefaults;
}
