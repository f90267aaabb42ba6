import type { AccountStore } from './accounts.ts';
import type { ActivityStore } from './activity.ts';
import type { AuditStore } from './audit.ts';
import type { CallerStore } from './callers.ts';
import type { CredentialStore } from './credentials.ts';
import type { GenerationStore } from './generations.ts';
import type { KeyStore } from './keys.ts';
import type { Ledger } from './ledger.ts';
import type { WorkspaceStore } from './workspaces.ts';

/** Which migrations a database has had. */
export interface MigrationStatus {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
}

/** The stores that a transaction writes with. */
export type ChangeStores = Pick<
  Storage,
  'accounts' | 'workspaces' | 'keys' | 'credentials' | 'ledger' | 'audit'
>;

/** Everything one database engine keeps, opened together and closed together. */
export interface Storage {
  readonly accounts: AccountStore;
  readonly workspaces: WorkspaceStore;
  readonly keys: KeyStore;
  readonly callers: CallerStore;
  readonly credentials: CredentialStore;
  readonly generations: GenerationStore;
  readonly activity: ActivityStore;
  readonly ledger: Ledger;
  readonly audit: AuditStore;
  /**
   * Runs work whose stores all write in one transaction: committed when it resolves, rolled back when it rejects.
   * @param work May run more than once. It must use no other stores, which would wait for it.
   */
  transaction<Result>(work: (stores: ChangeStores) => Promise<Result>): Promise<Result>;
  /**
   * Whether charges can be booked now. Costs nothing to read: admission asks it before every paid call and
   * answers `service_unavailable` while it is false. Turns true again by itself once writing works.
   */
  readonly writable: boolean;
  /** Why charges cannot be booked, or wait beside the database; undefined while all is well. */
  readonly failure?: unknown;
  /** Why an outage of the database would leave no place for charges; undefined where there is one, or is to be none. */
  readonly roomFailure?: unknown;
  /**
   * Charges of this process that are durable beside the database and not in it yet. Costs nothing to read; undefined
   * where every charge goes straight into the database.
   */
  readonly waitingCharges?: number;
  /**
   * Brings the schema up to date and returns the names of the migrations it applied; none change nothing. Then books what
   * other processes left behind.
   */
  migrate(): Promise<readonly string[]>;
  migrationStatus(): Promise<MigrationStatus>;
  /** Runs work while no other process on the same database runs any. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Resolves when the database answers, rejects with the reason when it does not. */
  ping(): Promise<void>;
  /** Books what is still waiting, then closes. */
  close(): Promise<void>;
}
