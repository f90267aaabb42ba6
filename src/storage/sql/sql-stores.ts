import type { Clock } from '../../ports/clock.ts';
import type { Storage } from '../../ports/storage.ts';
import { SqlAccountStore } from './account-store.ts';
import { SqlActivityStore, SqlRouterTrafficStore } from './activity-store.ts';
import { SqlAlertStore, SqlJobStore, SqlProcessStore } from './alert-store.ts';
import { SqlAuditStore } from './audit-store.ts';
import { SqlCachedHitStore, SqlCallNoteStore } from './call-note-store.ts';
import { SqlCallerStore } from './caller-store.ts';
import { SqlContentStore } from './content-store.ts';
import { SqlCredentialStore } from './credential-store.ts';
import { SqlDashboardSessionStore } from './dashboard-session-store.ts';
import { joinedDatabase, type SqlDatabase } from './database.ts';
import { SqlDestinationStore } from './destination-store.ts';
import { SqlFeedbackStore } from './feedback-store.ts';
import { SqlFileStore } from './file-store.ts';
import { SqlGenerationStore } from './generation-store.ts';
import { SqlGuardrailStore } from './guardrail-store.ts';
import { SqlKeyStore } from './key-store.ts';
import { type ChargeBooking, type LedgerDatabases, SqlLedger } from './ledger.ts';
import { SqlLimitCalendar } from './limit-calendar-store.ts';
import { SqlBudgetStore, SqlMemberStore } from './member-store.ts';
import { SqlPresetStore } from './preset-store.ts';
import type { DetailsSql } from './usage-conditions.ts';
import { chartSums, dailySums } from './usage-source.ts';
import { SqlUsageStore } from './usage-store.ts';
import { SqlWorkspaceStore } from './workspace-store.ts';

/** The stores of a storage. */
export type SqlStores = Pick<
  Storage,
  | 'accounts'
  | 'workspaces'
  | 'keys'
  | 'callers'
  | 'credentials'
  | 'destinations'
  | 'generations'
  | 'activity'
  | 'usage'
  | 'ledger'
  | 'audit'
  | 'presets'
  | 'guardrails'
  | 'budgets'
  | 'members'
  | 'sessions'
  | 'contents'
  | 'feedback'
  | 'alerts'
  | 'jobs'
  | 'files'
  | 'routerTraffic'
  | 'cachedHits'
  | 'callNotes'
  | 'processes'
  | 'limitCalendar'
  | 'transaction'
>;

/** Where stores read and write. */
export interface StoreDatabases extends Omit<LedgerDatabases, 'calendar'> {
  /** For what no charge changes. */
  readonly db: SqlDatabase;
  /** How the engine reads `details` of calls. */
  readonly details: DetailsSql;
  /** Whether contents of files are in the database too. */
  readonly holdsFiles: boolean;
}

/** All stores over one SQL engine. */
export function createSqlStores(databases: StoreDatabases, booking: ChargeBooking, clock: Clock): SqlStores {
  const { books, reports, keepsDailyUsage } = databases;
  const calls = keepsDailyUsage ? dailySums : chartSums;
  const calendar = new SqlLimitCalendar(databases.db);
  const changing = createChangeStores({ ...databases, calendar }, booking, clock);
  return {
    ...changing,
    callers: new SqlCallerStore(books, changing.ledger, calendar, clock),
    generations: new SqlGenerationStore(books, reports, calls),
    activity: new SqlActivityStore(reports, calls),
    alerts: new SqlAlertStore(databases.db),
    jobs: new SqlJobStore(databases.db),
    feedback: new SqlFeedbackStore(databases.db),
    routerTraffic: new SqlRouterTrafficStore(reports, databases.details),
    cachedHits: new SqlCachedHitStore(databases.db, reports),
    callNotes: new SqlCallNoteStore(databases.db, reports, databases.details),
    processes: new SqlProcessStore(databases.db),
    limitCalendar: calendar,
    usage: new SqlUsageStore(reports, databases.details),
    files: new SqlFileStore(databases.db, databases.holdsFiles),
    transaction: (work) =>
      // Charges that wait are booked first: they may not wait for this transaction.
      books.transaction((transaction) => {
        const joined = joinedDatabase(transaction);
        const inside = { db: joined, books: joined, reports: joined, keepsDailyUsage, calendar };
        return work(createChangeStores(inside, booking, clock));
      }),
  };
}

function createChangeStores(
  { db, ...rest }: LedgerDatabases & Pick<StoreDatabases, 'db'>,
  booking: ChargeBooking,
  clock: Clock,
) {
  return {
    accounts: new SqlAccountStore(db, rest.keepsDailyUsage),
    workspaces: new SqlWorkspaceStore(db),
    keys: new SqlKeyStore(db),
    credentials: new SqlCredentialStore(db),
    destinations: new SqlDestinationStore(db),
    ledger: new SqlLedger(rest, booking, clock),
    audit: new SqlAuditStore(db),
    presets: new SqlPresetStore(db),
    guardrails: new SqlGuardrailStore(db),
    budgets: new SqlBudgetStore(db),
    members: new SqlMemberStore(db),
    sessions: new SqlDashboardSessionStore(db),
    contents: new SqlContentStore(db),
  };
}
