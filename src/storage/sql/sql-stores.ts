import type { Clock } from '../../ports/clock.ts';
import type { Storage } from '../../ports/storage.ts';
import { SqlAccountStore } from './account-store.ts';
import { SqlActivityStore } from './activity-store.ts';
import { SqlCallerStore } from './caller-store.ts';
import { SqlCredentialStore } from './credential-store.ts';
import type { SqlDatabase } from './database.ts';
import { SqlGenerationStore } from './generation-store.ts';
import { SqlKeyStore } from './key-store.ts';
import { type ChargeBooking, type LedgerDatabases, SqlLedger } from './ledger.ts';
import { dailySums, eachCall } from './usage-source.ts';
import { SqlWorkspaceStore } from './workspace-store.ts';

/** The stores of a storage. */
export type SqlStores = Pick<
  Storage,
  'accounts' | 'workspaces' | 'keys' | 'callers' | 'credentials' | 'generations' | 'activity' | 'ledger'
>;

/** Where stores read and write. */
export interface StoreDatabases extends LedgerDatabases {
  /** For what no charge changes. */
  readonly db: SqlDatabase;
}

/** All stores over one SQL engine. */
export function createSqlStores(databases: StoreDatabases, booking: ChargeBooking, clock: Clock): SqlStores {
  const { db, books, reports, keepsDailyUsage } = databases;
  const calls = keepsDailyUsage ? dailySums : eachCall;
  const ledger = new SqlLedger(databases, booking, clock);
  return {
    accounts: new SqlAccountStore(db),
    workspaces: new SqlWorkspaceStore(db),
    keys: new SqlKeyStore(db),
    callers: new SqlCallerStore(books, ledger, clock),
    credentials: new SqlCredentialStore(db),
    generations: new SqlGenerationStore(books, reports, calls, keepsDailyUsage),
    activity: new SqlActivityStore(reports, calls),
    ledger,
  };
}
