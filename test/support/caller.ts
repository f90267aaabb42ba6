import { createRawKey } from '../../src/core/api-key.ts';
import { utcCalendar } from '../../src/core/limit-calendar.ts';
import { type NanoUsd, zeroUsd } from '../../src/core/money.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { newKey } from '../../src/management/keys/keys.ts';
import type { Account } from '../../src/ports/accounts.ts';
import type { ProviderCredential } from '../../src/ports/credentials.ts';
import type { ApiKey, KeySpend } from '../../src/ports/keys.ts';
import type { Balance } from '../../src/ports/ledger.ts';
import type { Caller } from '../../src/settlement/caller.ts';

type Funds = { -readonly [Name in keyof Balance]: Balance[Name] };

/** A caller whose money a test sets itself. */
export interface TestCaller extends Caller {
  readonly funds: Funds;
}

const none = { total: zeroUsd, daily: zeroUsd, weekly: zeroUsd, monthly: zeroUsd };

/** A prepaid account made at `createdAt` (Unix milliseconds) with a key that has no limit and spent nothing. */
export function testCaller(
  balance: NanoUsd,
  change: {
    readonly account?: Partial<Account>;
    readonly key?: Partial<ApiKey>;
    readonly funds?: Partial<Funds>;
    readonly spend?: KeySpend;
    readonly credentials?: readonly ProviderCredential[];
    readonly createdAt?: number;
  } = {},
): TestCaller {
  const { createdAt = 0 } = change;
  const account = newAccount('Test', 'prepaid', createdAt);
  const owner = { accountId: account.id, workspaceId: account.defaultWorkspaceId, createdAt };
  const key = newKey(createRawKey(), { ...owner, kind: 'inference', name: 'test' });
  return {
    account: { ...account, ...change.account },
    key: { ...key, ...change.key },
    spend: change.spend ?? { usage: none, byokUsage: none },
    calendar: utcCalendar,
    credentials: change.credentials ?? [],
    funds: { balance, purchasedTotal: zeroUsd, spentTotal: zeroUsd, ...change.funds },
  };
}
