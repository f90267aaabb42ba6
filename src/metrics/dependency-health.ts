import { ReportedReason } from '../core/reported-reason.ts';
import type { SharedStateHealth } from '../ports/shared-state.ts';
import type { Storage } from '../ports/storage.ts';

/** How everything this process needs is doing. */
export interface DependencyStates {
  /** `unreachable` does not answer in time, or takes no charges. */
  readonly database: 'ok' | 'unreachable';
  /**
   * Whether charges can be made durable: where they are `unwritable` no paid request is let in; with `no_room` the database
   * takes them, and there is no place for them should it go away.
   */
  readonly journal: 'ok' | 'no_room' | 'unwritable';
  readonly shared_state: SharedStateHealth;
}

/** Every state a dependency can be in, in the order it is shown. */
export const dependencyStates = {
  database: ['ok', 'unreachable'],
  journal: ['ok', 'no_room', 'unwritable'],
  shared_state: ['ok', 'unreachable', 'local'],
} as const satisfies { [Name in keyof DependencyStates]: readonly DependencyStates[Name][] };

/** The state one dependency has come to. */
export type DependencyChange = {
  readonly [Name in keyof DependencyStates]: {
    readonly dependency: Name;
    readonly state: DependencyStates[Name];
  };
}['database' | 'journal'];

/** How dependencies are looked after; all has defaults that suit a server. */
export interface HealthOptions {
  /** Milliseconds an engine may take to answer before it counts as unreachable. */
  readonly patience?: number;
  /** Milliseconds between two looks of `watch`. */
  readonly pause?: number;
  /** Milliseconds in which an outage of the database tells no further reason. */
  readonly repeat?: number;
  /**
   * Told when a dependency is lost, with the reason, and when it is back; at first all count as well. Told again when the
   * database is away for another reason than it was.
   */
  readonly onChange?: (change: DependencyChange, reason: unknown) => void;
}

type Asked = Pick<Storage, 'ping' | 'writable' | 'failure' | 'roomFailure'>;

/** Looks after what this process depends on, within a bounded time whatever hangs. */
export class DependencyHealth {
  readonly #storage: Asked;
  readonly #sharedState: () => SharedStateHealth;
  readonly #options: Required<HealthOptions>;
  readonly #told: ReportedReason;
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
    this.#told = new ReportedReason(repeat);
  }

  /** How everything is at this moment. Never fails; whoever asks at the same time shares one question. */
  async check(): Promise<DependencyStates> {
    this.#asking ??= this.#look().finally(() => {
      this.#asking = undefined;
    });
    return { database: await this.#asking, journal: this.#journal, shared_state: this.#sharedState() };
  }

  /** Looks by itself from now on, so that changes are told though nobody asks. */
  watch(): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.check().then(() => this.watch()), this.#options.pause).unref();
  }

  /** Looks no more by itself, and tells of nothing. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<DependencyStates['database']> {
    const [asked] = await Promise.allSettled([this.#askDatabase()]);
    const database = asked.status === 'fulfilled' ? 'ok' : 'unreachable';
    const reason = asked.status === 'fulfilled' ? undefined : asked.reason;
    const { roomFailure } = this.#storage;
    const withRoom = roomFailure === undefined ? 'ok' : 'no_room';
    const journal = this.#storage.writable ? withRoom : 'unwritable';
    const [databaseBefore, journalBefore] = [this.#database, this.#journal];
    this.#database = database;
    this.#journal = journal;
    if (database !== databaseBefore) this.#told.tell(reason);
    if (database !== databaseBefore || (reason !== undefined && this.#told.isNews(reason)))
      this.#tell({ dependency: 'database', state: database }, reason);
    if (journal !== journalBefore) {
      const why = journal === 'ok' ? undefined : (roomFailure ?? this.#storage.failure ?? reason);
      this.#tell({ dependency: 'journal', state: journal }, why);
    }
    return database;
  }

  #tell(change: DependencyChange, reason: unknown): void {
    if (!this.#closed) this.#options.onChange(change, reason);
  }

  /** Rejects with the reason when it does not answer in time. */
  #askDatabase(): Promise<void> {
    const { patience } = this.#options;
    return new Promise((resolve, reject) => {
      // What came while this process was busy is read before the time is up.
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
 * How welcome requests are while things are like this. Without the shared state only those are refused that are counted
 * there (accounts-and-limits 11, case 9), so the process is still worth asking.
 */
export function serviceOf({
  database,
  journal,
  shared_state: shared,
}: DependencyStates): 'ok' | 'degraded' | 'unavailable' {
  if (database !== 'ok' || journal === 'unwritable') return 'unavailable';
  return shared === 'ok' && journal === 'ok' ? 'ok' : 'degraded';
}
