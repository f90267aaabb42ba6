import { ReportedReason } from '../core/reported-reason.ts';
import type { SharedStateHealth } from '../ports/shared-state.ts';
import type { Storage } from '../ports/storage.ts';

/** The state of everything that this process depends on. */
export interface DependencyStates {
  /** `unreachable`: does not answer in time, or accepts no charges. */
  readonly database: 'ok' | 'unreachable';
  /**
   * Whether charges can be made durable. With `unwritable` no paid request is admitted. With `no_room` the database
   * accepts charges, but there is no room for them during an outage of the database.
   */
  readonly journal: 'ok' | 'no_room' | 'unwritable';
  readonly shared_state: SharedStateHealth;
}

/** Every state of each dependency, in the order of display. */
export const dependencyStates = {
  database: ['ok', 'unreachable'],
  journal: ['ok', 'no_room', 'unwritable'],
  shared_state: ['ok', 'unreachable', 'local'],
} as const satisfies { [Name in keyof DependencyStates]: readonly DependencyStates[Name][] };

/** A change of one dependency's state. */
export type DependencyChange = {
  readonly [Name in keyof DependencyStates]: {
    readonly dependency: Name;
    readonly state: DependencyStates[Name];
  };
}['database' | 'journal'];

/** How dependencies are checked; the defaults suit a server. */
export interface HealthOptions {
  /** Milliseconds without an answer after which an engine counts as unreachable. */
  readonly patience?: number;
  /** Milliseconds between two checks of `watch`. */
  readonly pause?: number;
  /** Milliseconds in which a further reason of a database outage is not reported. */
  readonly repeat?: number;
  /**
   * Called when a dependency is lost, with the reason, and when it is back; initially all count as available. Called
   * again when the reason of a database outage changes.
   */
  readonly onChange?: (change: DependencyChange, reason: unknown) => void;
}

type Asked = Pick<Storage, 'ping' | 'writable' | 'failure' | 'roomFailure'>;

/** Checks what this process depends on, within a bounded time whatever hangs. */
export class DependencyHealth {
  readonly #storage: Asked;
  readonly #sharedState: () => SharedStateHealth;
  readonly #options: Required<HealthOptions>;
  readonly #reportedReason: ReportedReason;
  #asking: Promise<DependencyStates['database']> | undefined;
  #database: DependencyStates['database'] = 'ok';
  #journal: DependencyStates['journal'] = 'ok';
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(
    storage: Asked,
    sharedState: () => SharedStateHealth,
    { patience = 2000, pause = 1000, repeat = 10_000, onChange = () => undefined }: HealthOptions = {},
  ) {
    this.#storage = storage;
    this.#sharedState = sharedState;
    this.#options = { patience, pause, repeat, onChange };
    this.#reportedReason = new ReportedReason(repeat);
  }

  /** The current state of everything. Never fails; concurrent callers share one check. */
  async check(): Promise<DependencyStates> {
    this.#asking ??= this.#look().finally(() => {
      this.#asking = undefined;
    });
    return { database: await this.#asking, journal: this.#journal, shared_state: this.#sharedState() };
  }

  /** Starts periodic checks, so that changes are reported without requests. */
  watch(): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.check().then(() => this.watch()), this.#options.pause).unref();
  }

  /** Stops periodic checks and reports. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<DependencyStates['database']> {
    const [ping] = await Promise.allSettled([this.#askDatabase()]);
    const database = ping.status === 'fulfilled' ? 'ok' : 'unreachable';
    const reason = ping.status === 'fulfilled' ? undefined : ping.reason;
    const { roomFailure } = this.#storage;
    const withRoom = roomFailure === undefined ? 'ok' : 'no_room';
    const journal = this.#storage.writable ? withRoom : 'unwritable';
    const [databaseBefore, journalBefore] = [this.#database, this.#journal];
    this.#database = database;
    this.#journal = journal;
    if (database !== databaseBefore) this.#reportedReason.record(reason);
    if (database !== databaseBefore || (reason !== undefined && this.#reportedReason.isNews(reason)))
      this.#notify({ dependency: 'database', state: database }, reason);
    if (journal !== journalBefore) {
      const why = journal === 'ok' ? undefined : (roomFailure ?? this.#storage.failure ?? reason);
      this.#notify({ dependency: 'journal', state: journal }, why);
    }
    return database;
  }

  #notify(change: DependencyChange, reason: unknown): void {
    if (!this.#closed) this.#options.onChange(change, reason);
  }

  /** Rejects with the reason when the database does not answer in time. */
  #askDatabase(): Promise<void> {
    const { patience } = this.#options;
    return new Promise((resolve, reject) => {
      // Lets an answer that arrived while this process was busy be read first.
      const giveUp = () => setImmediate(() => reject(new Error(`no answer within ${patience} ms`)));
      const timer = setTimeout(giveUp, patience);
      this.#storage
        .ping()
        .finally(() => clearTimeout(timer))
        .then(resolve, reject);
    });
  }
}

/**
 * Whether to send requests here in these states. Without the shared state, only requests counted there are refused
 * (docs/spec/money.md#shared-state-away), so the process remains useful.
 */
export function serviceOf({
  database,
  journal,
  shared_state: shared,
}: DependencyStates): 'ok' | 'degraded' | 'unavailable' {
  if (database !== 'ok' || journal === 'unwritable') return 'unavailable';
  return shared === 'ok' && journal === 'ok' ? 'ok' : 'degraded';
}
