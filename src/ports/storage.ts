import type { AccountStore } from './accounts.ts';
import type { ActivityStore } from './activity.ts';
import type { AlertStore } from './alerts.ts';
import type { AuditStore } from './audit.ts';
import type { BudgetStore } from './budgets.ts';
import type { CachedHitStore } from './cached-hits.ts';
import type { CallNoteStore } from './call-notes.ts';
import type { CallerStore } from './callers.ts';
import type { ContentStore } from './content.ts';
import type { CredentialStore } from './credentials.ts';
import type { DashboardSessionStore } from './dashboard-sessions.ts';
import type { DestinationStore } from './destinations.ts';
import type { FeedbackStore } from './feedback.ts';
import type { FileStore } from './files.ts';
import type { GenerationStore } from './generations.ts';
import type { GuardrailStore } from './guardrails.ts';
import type { Change } from './invalidation.ts';
import type { JobStore } from './jobs.ts';
import type { KeyStore } from './keys.ts';
import type { Ledger } from './ledger.ts';
import type { LimitCalendarStore } from './limit-calendar.ts';
import type { MemberStore } from './members.ts';
import type { PresetStore } from './presets.ts';
import type { ProcessStore } from './processes.ts';
import type { RouterTrafficStore } from './router-traffic.ts';
import type { UsageStore } from './usage.ts';
import type { WorkspaceStore } from './workspaces.ts';

/** The applied and pending migrations of a database. */
export interface MigrationStatus {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
}

/** The stores that a transaction writes with. */
export type ChangeStores = Pick<
  Storage,
  | 'accounts'
  | 'workspaces'
  | 'keys'
  | 'credentials'
  | 'destinations'
  | 'ledger'
  | 'audit'
  | 'presets'
  | 'guardrails'
  | 'budgets'
  | 'members'
  | 'sessions'
  | 'contents'
>;

/** What is stored, in bytes. */
export interface DiskUse {
  readonly database: number;
  /** Contents of files, in the database or beside it. */
  readonly files: number;
  /** Charges that wait beside the database, with the room that is reserved for them; undefined where none can. */
  readonly spool?: number;
  /** Free on the disk of the database, or of the spool where the database is elsewhere; undefined where it is unknown. */
  readonly free?: number;
}

/** Connections to a database server. */
export interface ConnectionRoom {
  readonly wanted: number;
  /** For all processes together. */
  readonly allowed: number;
}

/** All stores of one database engine, opened and closed together. */
export interface Storage {
  readonly accounts: AccountStore;
  readonly workspaces: WorkspaceStore;
  readonly keys: KeyStore;
  readonly callers: CallerStore;
  readonly credentials: CredentialStore;
  readonly destinations: DestinationStore;
  readonly generations: GenerationStore;
  readonly activity: ActivityStore;
  readonly usage: UsageStore;
  readonly ledger: Ledger;
  readonly audit: AuditStore;
  readonly presets: PresetStore;
  readonly guardrails: GuardrailStore;
  readonly budgets: BudgetStore;
  readonly members: MemberStore;
  readonly sessions: DashboardSessionStore;
  readonly contents: ContentStore;
  readonly feedback: FeedbackStore;
  readonly alerts: AlertStore;
  readonly jobs: JobStore;
  readonly files: FileStore;
  readonly routerTraffic: RouterTrafficStore;
  readonly cachedHits: CachedHitStore;
  readonly callNotes: CallNoteStore;
  readonly processes: ProcessStore;
  readonly limitCalendar: LimitCalendarStore;
  /**
   * Runs work whose stores all write in one transaction: committed when it resolves, rolled back when it rejects.
   * @param work May run more than once. It must use no other stores, which would wait for it.
   */
  transaction<Result>(work: (stores: ChangeStores) => Promise<Result>): Promise<Result>;
  /**
   * Whether charges can be booked now. Costs nothing to read: admission checks it before every paid call and answers
   * `service_unavailable` while it is false. Becomes true again by itself once writing works.
   */
  readonly writable: boolean;
  /** Why charges cannot be booked, or wait beside the database; undefined while both work. */
  readonly failure?: unknown;
  /**
   * Why there would be no room for charges during an outage of the database; undefined where there is room, or none
   * is wanted.
   */
  readonly roomFailure?: unknown;
  /**
   * Charges of this process that are durable beside the database but not in it yet. Costs nothing to read; undefined
   * where every charge goes straight into the database.
   */
  readonly waitingCharges?: number;
  /**
   * Migrates the schema and returns the names of the applied migrations; without any nothing changes. Then books the
   * charges that other processes left behind.
   */
  migrate(): Promise<readonly string[]>;
  migrationStatus(): Promise<MigrationStatus>;
  /**
   * Calls back when another process has changed, or may have changed, what processes cache, until the storage closes. News
   * may be lost, so caches also expire.
   */
  watchChanges(listener: (change: Change) => void): void;
  /**
   * Notifies the processes that watch this database of a change. Resolves when the news is sent; at once where they notice
   * changes by themselves. Never rejects.
   */
  announce(change: Change): Promise<void>;
  /** Runs work under a lock that excludes all other processes on the same database. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Resolves when the database answers, rejects with the reason when it does not. */
  ping(): Promise<void>;
  /** How many connections this process may want, and how many its database allows; absent where there are none. */
  connectionRoom?(): Promise<ConnectionRoom>;
  /** What takes room. Takes a while where there are many files. */
  diskUse(): Promise<DiskUse>;
  /** Books what is still waiting, then closes. */
  close(): Promise<void>;
}
